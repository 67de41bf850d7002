-- grain: one row per model x task x size, over replies that were asked to reason first
-- early: the final verdict already stands at the start of the reply (switch flenqa.early).
select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    sum(n)::bigint as n,
    coalesce(sum(n) filter (where early), 0)::bigint as early,
    coalesce(sum(n) filter (where early), 0) / sum(n) as rate,
    simulated
from stg_reasoned
inner join stg_cells using (cell_key)
group by all
