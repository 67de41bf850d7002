-- grain: one row per model x task x size
select
    provider, model, setup, simulated, task, size, size_unit,
    n, refused, blocked, empty, text_refused, truncated, rate
from refusals
order by task, model, provider, setup, simulated, size
