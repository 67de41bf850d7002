-- grain: one row per model x outcome: planned trials that ended so, and asking again could mend it
-- Of the trials that the newest start of each sweep plans; no judge's. `unscored` are answers that
-- are stored and have no score: the next start of the sweep scores them.
with ended as (
    select
        cell_key,
        case when answered then 'unscored' else outcome_kind end as kind
    from stg_trials
    inner join stg_wanted using (cell_key)
    where
        repeat < repeats
        and seed = sweep_seed * 4294967296 + repeat  -- as a trial's seed is made
        and (
            outcome_kind in (
                'invalid_request', 'malformed', 'overloaded', 'rate_limited', 'timeout',
                'too_large_for_tier', 'transient'
            )
            or (answered and value is null)
        )
)

select
    provider,
    model,
    kind as outcome,
    count(*) as n,
    simulated
from ended
inner join stg_cells using (cell_key)
group by simulated, provider, model, kind
