-- grain: one row per model x task x size, over replies that were asked to reason first
-- coverage is the mean share of key sentences that the reply repeats; n_full counts replies with all
-- of them, and failure_rate is the share of the others.
select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    sum(n)::bigint as n,
    sum(n * covered) / nullif(sum(n * n_key), 0) as coverage,
    coalesce(sum(n) filter (where covered >= n_key), 0)::bigint as n_full,
    coalesce(sum(n) filter (where covered < n_key), 0) / sum(n) as failure_rate,
    simulated
from stg_reasoned
inner join stg_cells using (cell_key)
where n_key > 0
group by all
