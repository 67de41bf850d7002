-- grain: one row per model x task x size: seconds of the attempts that brought an answer
with answered as (
    select
        cell_id,
        latency_s,
        first_byte_s,
        queue_s
    from attempts
    inner join trials using (trial_id)
    where split_part(outcome, ':', 1) in ('answered', 'truncated')
),

grouped as (
    select
        *,
        dense_rank() over (order by simulated, provider, model, setup, task, size, size_unit)
            as group_id
    from stg_cells
),

timed as (
    select
        group_id,
        count(latency_s) as n,
        avg(latency_s) as mean_s,
        quantile_cont(latency_s, [0.5, 0.95]) as quantiles_s,
        avg(first_byte_s) as mean_first_byte_s,
        avg(queue_s) as mean_queue_s
    from answered
    inner join grouped using (cell_id)
    group by group_id
)

select distinct
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    n,
    mean_s,
    quantiles_s[1] as p50_s,
    quantiles_s[2] as p95_s,
    mean_first_byte_s,
    mean_queue_s,
    simulated
from timed
inner join grouped using (group_id)
