-- grain: one row per start of a sweep
-- shown_profile is what the scores of the file that count now were given under: a rescore may have
-- given others than the sweep did.
select
    name, started_at, profile, seed, repeats, budget_pusd / 1e12 as budget_usd,
    simulated, trials_planned, runner_version, switches::varchar as switches,
    coalesce(
        (
            select string_agg(distinct profile, ' and ' order by profile)
            from stg_trials
            where value is not null
        ),
        profile
    ) as shown_profile
from sweeps
order by started_at, sweep_id
