-- grain: one row per trial judged since trials were last gathered: its newest score
-- The one written last wins, whatever the clock said and whoever gave it: `rescore --judge` puts the judge's score in front (scorer ends in
-- .judge, profile in +judge:MODEL), `rescore` the benchmark's own again. Earlier ones stay in scores.
-- Only trials that were tried or judged again can have several, so only those are compared.
with keyed as not materialized (
    select
        *,
        hash(trial_id) as trial_key,
        rowid as score_place
    from scores
    where rowid >= (select coalesce(max(scores_seen), 0) from gathered_trials)
),

several as (
    select trial_key
    from keyed
    where again
    union
    select hash(trial_id) as trial_key
    from attempts
    where n <> 1 and rowid >= (select coalesce(max(attempts_seen), 0) from gathered_trials)
),

newest as (
    select
        trial_key,
        max(score_place) as last_place
    from keyed
    semi join several using (trial_key)
    group by trial_key
)

select
    keyed.trial_key,
    keyed.score_place,
    keyed.scored_at,
    keyed.value as score,
    keyed.label as score_label,
    keyed.scorer,
    keyed.profile
from keyed
left join newest using (trial_key)
where newest.last_place is null or newest.last_place = keyed.score_place
