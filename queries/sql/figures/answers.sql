-- grain: one row per model x task x size x cot x answer
-- shows: cot
select
    provider, model, setup, simulated, task, size, size_unit,
    case when cot then 'reasoning asked' else 'answer only' end as asked,
    answer, n, share,
    sum(n) over (
        partition by simulated, provider, model, setup, task, size, cot
    )::bigint as n_all
from answer_histogram
where task in (select task from stg_cells where stg_cells.answer = 'true_false')
order by task, model, provider, setup, simulated, cot, size, answer
