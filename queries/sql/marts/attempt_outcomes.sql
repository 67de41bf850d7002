-- grain: one row per model x outcome of an attempt: rate limits, repeated errors and a judge's included
with per_cell as (
    select
        cell_id,
        outcome,
        http_status,
        count(*) as n
    from attempts
    inner join trials using (trial_id)
    group by cell_id, outcome, http_status
)

select
    provider,
    model,
    outcome,
    http_status,
    sum(n)::bigint as n,
    simulated
from per_cell
inner join stg_all_cells using (cell_id)
group by simulated, provider, model, outcome, http_status
