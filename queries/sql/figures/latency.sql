-- grain: one row per model x task x size
select
    provider, model, setup, simulated, task, size, size_unit, n, mean_s, p50_s, p95_s
from latency
order by task, model, provider, setup, simulated, size
