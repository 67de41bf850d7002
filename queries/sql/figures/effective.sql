-- grain: one row per model x task x fixed axis value
select
    provider, model, setup, simulated, task, axis, axis_value, threshold,
    effective_chars, limit_chars, share, measured_chars, never_below, strict_chars,
    bound_low, bound_high, effective
from effective_context
order by task, axis_value, model, provider, setup, simulated
