-- grain: one row per model x task x k x question x kind of error
-- shows: question
select
    provider, model, setup, simulated, task, k, question, n,
    unnest(['instruction not followed', 'needle omission', 'calculation error']) as error,
    unnest([p_instruction_not_followed, p_needle_omission, p_calculation_error]) as share
from needlechain_errors
order by task, model, provider, setup, simulated, question, k, error
