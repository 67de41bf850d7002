-- grain: one row per model x task x k x question: mean tokens written
-- shows: question
select
    provider, model, setup, simulated, task, k, question, n,
    mean_output_tokens, mean_reasoning_tokens,
    coalesce(mean_output_tokens, 0) + coalesce(mean_reasoning_tokens, 0) as mean_tokens
from needlechain_errors
where mean_output_tokens is not null
order by task, model, provider, setup, simulated, question, k
