-- grain: one row per model x task x k x question x name order x position
-- shows: question
select
    provider, model, setup, simulated, task, k, question, name_order, position,
    n, mentioned, missing
from needlechain_positions
order by task, model, provider, setup, simulated, k, question, name_order, position
