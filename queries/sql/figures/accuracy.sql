-- grain: one row per model x task x size
select
    provider, model, setup, simulated, task, size, size_unit,
    accuracy, ci_low, ci_high, chance,
    n_planned, n_answered, n_not_evaluated, n_unique, clusters
from accuracy_by_size
order by task, model, provider, setup, simulated, size
