-- grain: one row per model x task x outcome
select
    provider, model, setup, simulated, task, outcome, n, share, counts_in_accuracy,
    sum(n) over (partition by simulated, provider, model, setup, task)::bigint as n_all
from outcomes
order by task, model, provider, setup, simulated, n desc, outcome
