-- grain: one row per model x task x size x cot
-- shows: cot
select
    provider, model, setup, simulated, task, size, size_unit,
    case when cot then 'reasoning asked' else 'answer only' end as asked,
    n_true, n_false, n_other, n_true + n_false + n_other as n, n_not_evaluated, p_false, bias, bias_low, bias_high
from false_bias
order by task, model, provider, setup, simulated, cot, size
