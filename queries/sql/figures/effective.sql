-- grain: one row per model x task x fixed axis value
-- shows: cot, question
select
    provider, model, setup, simulated, task, axis, axis_value, threshold,
    effective_chars, limit_chars, share, measured_chars, never_below, strict_chars,
    bound_low, bound_high, effective,
    (
        select sum(curves.n_answered)::bigint
        from stg_curves as curves
        where
            curves.simulated = effective_context.simulated
            and curves.provider = effective_context.provider
            and curves.model = effective_context.model
            and curves.setup = effective_context.setup
            and curves.task = effective_context.task
            and curves.part in ('', effective_context.axis_value)
    ) as n_answered
from effective_context
order by task, axis_value, model, provider, setup, simulated
