-- grain: one row per model x task x fixed axis value (10 needles, 5 steps, the worst depth, cot, question)
-- effective_chars is the length up to which accuracy stays at or above the threshold; share is its
-- part of limit_chars. never_below says that no measured length fell below the threshold, so the
-- value is the model's limit although only measured_chars were tried. strict_chars counts refused,
-- blocked and empty replies as wrong. Of depths that are equally bad the smallest is shown.
with worst as materialized (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        axis,
        part,
        measure,
        any_value(threshold) as threshold,
        arg_min(x, row(round(effective_chars), x)) as x,
        min(effective_chars) as effective_chars,
        any_value(limit_chars) as limit_chars,
        max(measured_chars) as measured_chars,
        bool_and(never_below) as never_below
    from context_frontier
    where is_reference
    group by simulated, provider, model, setup, task, axis, part, measure
)

select
    plain.provider,
    plain.model,
    plain.setup,
    plain.task,
    plain.axis,
    coalesce(nullif(plain.part, ''), format('{:g}', plain.x), '') as axis_value,
    plain.threshold,
    plain.effective_chars,
    plain.limit_chars,
    plain.effective_chars / plain.limit_chars as share,
    plain.measured_chars,
    plain.never_below,
    strict.effective_chars as strict_chars,
    plain.simulated
from worst as plain
left join worst as strict
    on
        strict.measure = 'strict'
        and plain.simulated = strict.simulated
        and plain.provider = strict.provider
        and plain.model = strict.model
        and plain.setup = strict.setup
        and plain.task = strict.task
        and plain.part = strict.part
where plain.measure = 'plain'
