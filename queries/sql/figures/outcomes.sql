-- grain: one row per model x task x outcome
select
    provider, model, setup, simulated, task, outcome, n, share, counts_in_accuracy
from outcomes
order by task, model, provider, setup, simulated, n desc, outcome
