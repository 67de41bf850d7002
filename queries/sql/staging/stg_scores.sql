-- grain: one row per judged trial: its newest score
-- Newest wins, whoever gave it: `rescore --judge` puts the judge's score in front (scorer ends in
-- .judge, profile in +judge:MODEL), `rescore` the benchmark's own again. Earlier ones stay in scores.
-- Only trials that were tried or judged again can have several, so only those are compared.
with keyed as not materialized (
    select
        *,
        hash(trial_id) as trial_key,
        rowid as place
    from scores
),

several as (
    select trial_key
    from keyed
    where again
    union
    select hash(trial_id) as trial_key
    from attempts
    where n > 1
),

newest as (
    select
        trial_key,
        arg_max(place, scored_at) as last_place
    from keyed
    semi join several using (trial_key)
    group by trial_key
)

select
    keyed.trial_key,
    keyed.value,
    keyed.label,
    keyed.profile,
    keyed.scorer,
    keyed.scorer_version,
    keyed.detail
from keyed
left join newest using (trial_key)
where newest.last_place is null or newest.last_place = keyed.place
