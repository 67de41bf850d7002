-- grain: one row per model x task x fixed axis value (10 needles, 5 steps, the worst depth, cot, question)
-- effective_chars is the length up to which accuracy stays at or above the threshold; share is its
-- part of limit_chars. Both are NULL where measuring did not reach that length, and effective says
-- what is known: `< 32000` never at the threshold, `>= 2600` never below it; bound_low and bound_high
-- are the same as numbers (bound_high is NULL without a known limit). never_below says that no
-- measured length fell below the threshold. strict_chars counts refused, blocked and empty replies as
-- wrong. Of depths that are equally bad the smallest is shown.
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
        arg_min(x, row(round(bound_low), round(coalesce(bound_high, 'infinity'::double)), x)) as x,
        min(bound_low) as bound_low,
        min(bound_high) as bound_high,
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
    case when plain.bound_low = plain.bound_high then plain.bound_low end as effective_chars,
    plain.limit_chars,
    case when plain.bound_low = plain.bound_high then plain.bound_low end / plain.limit_chars as share,
    plain.measured_chars,
    plain.never_below,
    case when strict.bound_low = strict.bound_high then strict.bound_low end as strict_chars,
    plain.bound_low,
    plain.bound_high,
    case
        when plain.bound_low = plain.bound_high then format('{:.0f}', plain.bound_low)
        when plain.bound_low = 0 then format('< {:.0f}', plain.bound_high)
        when plain.never_below then format('>= {:.0f}', plain.bound_low)
        else format('{:.0f} .. {:.0f}', plain.bound_low, plain.bound_high)
    end as effective,
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
