-- grain: one row per start of a sweep
select
    name, started_at, profile, seed, repeats, budget_pusd / 1e12 as budget_usd,
    simulated, trials_planned, runner_version, switches::varchar as switches
from sweeps
order by started_at, sweep_id
