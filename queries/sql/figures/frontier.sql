-- grain: one row per model x task x fixed axis value
select
    provider, model, setup, simulated, task, axis, x,
    effective_chars, limit_chars, measured_chars, never_below, threshold, bound_low, bound_high
from context_frontier
where measure = 'plain' and axis in ('depth', 'needles', 'thread_length')
    and (axis = 'depth' or not is_reference)
order by task, model, provider, setup, simulated, x
