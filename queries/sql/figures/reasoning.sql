-- grain: one row per model x task x size x measure of the reasoning that was asked for
select
    provider, model, setup, simulated, task, size, size_unit, n,
    'answered before reasoning' as measure,
    rate as share
from early_answers
union all
select
    provider, model, setup, simulated, task, size, size_unit, n,
    'left out a key sentence' as measure,
    failure_rate as share
from cot_coverage
order by task, model, provider, setup, simulated, measure, size
