-- grain: one row per judged trial: its newest score
-- Newest wins, whoever gave it: `rescore --judge` puts the judge's score in front (scorer ends in
-- .judge, profile in +judge:MODEL), `rescore` the benchmark's own again. Earlier ones stay in scores.
select
    trial_id,
    arg_max(value, scored_at) as value,
    arg_max(label, scored_at) as label,
    arg_max(profile, scored_at) as profile,
    arg_max(scorer, scored_at) as scorer,
    arg_max(scorer_version, scored_at) as scorer_version,
    arg_max(detail, scored_at) as detail
from scores
group by trial_id
