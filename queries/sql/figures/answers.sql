-- grain: one row per model x task x size x cot x answer
select
    provider, model, setup, simulated, task, size, size_unit,
    case when cot then 'reasoning asked' else 'answer only' end as asked,
    answer, n, share
from answer_histogram
where split_part(task, '.', 1) = 'flenqa' and task <> 'flenqa.next_word'
order by task, model, provider, setup, simulated, cot, size, answer
