-- grain: one row per model x task x fixed axis value x size that has answers
select
    provider, model, setup, simulated, task, axis, x, chars, accuracy,
    n_answered
from stg_curves
where axis in ('depth', 'needles', 'thread_length') and accuracy is not null
order by task, model, provider, setup, simulated, x, chars
