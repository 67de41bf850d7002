-- grain: one row per model x task x fixed axis value: how long the context may be at that value
-- The threshold contour of accuracy, linear in characters between measured sizes: the first place
-- where accuracy falls from at or above the threshold to below it (an initial low stretch is passed
-- over). effective_chars is NULL where no such place was measured, and the bounds say what is known:
-- never at the threshold, it is below the shortest length (bound_high); never below it, it is at
-- least the longest (bound_low), and the model's limit at most, as far as one is known. strict is the same curve with refused,
-- blocked and empty replies counted as wrong, as the papers do.
-- is_reference marks the value that effective_context reports: needles 10, steps 5 (interpolated
-- between measured values, or the nearest one), every depth, and each value of other axes.
with measured as materialized (
    select * from stg_curves
),

limits as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        max(context_window) * sum(chars_with_usage) / nullif(sum(input_tokens), 0) as limit_chars
    from measured
    group by all
),

curves as (
    select
        simulated, provider, model, setup, task, axis, part, x, size, chars,
        unnest(['plain', 'strict']) as measure,
        unnest([accuracy, accuracy_strict]) as accuracy
    from measured
),

neighbours as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        axis,
        part,
        measure,
        size,
        min(chars) as chars,
        any_value(case axis when 'needles' then reference_needles else reference_steps end)
            as target,
        max(x) filter (where x <= target_x) as below,
        min(x) filter (where x >= target_x) as above,
        arg_max(accuracy, x) filter (where x <= target_x) as accuracy_below,
        arg_min(accuracy, x) filter (where x >= target_x) as accuracy_above
    from (
        select
            *,
            case axis when 'needles' then reference_needles else reference_steps end as target_x
        from curves
        cross join settings
        where axis in ('needles', 'thread_length') and accuracy is not null
    )
    group by simulated, provider, model, setup, task, axis, part, measure, size
),

at_reference as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        axis,
        part,
        case
            when below is null then above
            when above is null then below
            else target
        end as x,
        size,
        chars,
        measure,
        case
            when below is null then accuracy_above
            when above is null or above = below then accuracy_below
            else accuracy_below
                + (accuracy_above - accuracy_below) * (target - below) / (above - below)
        end as accuracy,
        true as is_reference
    from neighbours
),

reference_value as (
    select
        simulated, provider, model, setup, task, axis, part, measure,
        case when bool_or(x = target_x) then any_value(target_x) else mode(x order by x) end as x_shown
    from (
        select
            at_reference.*,
            case axis when 'needles' then reference_needles else reference_steps end as target_x
        from at_reference
        cross join settings
    )
    group by simulated, provider, model, setup, task, axis, part, measure
),

points as (
    select
        simulated, provider, model, setup, task, axis, part, x, size, chars, measure, accuracy,
        axis not in ('needles', 'thread_length') as is_reference
    from curves
    where accuracy is not null
    union all
    select
        simulated, provider, model, setup, task, axis, part, x_shown as x, size, chars, measure,
        accuracy, is_reference
    from at_reference
    inner join reference_value
        using (simulated, provider, model, setup, task, axis, part, measure)
),

steps as (
    select
        *,
        lead(accuracy) over along as next_accuracy,
        lead(chars) over along as next_chars
    from points
    window along as (
        partition by simulated, provider, model, setup, task, axis, part, x, measure, is_reference
        order by chars
    )
),

crossings as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        axis,
        part,
        x,
        measure,
        is_reference,
        any_value(threshold) as threshold,
        max(chars) as measured_chars,
        min(chars) as shortest_chars,
        max(accuracy) >= any_value(threshold) as reached,
        min(chars + (accuracy - threshold) / (accuracy - next_accuracy) * (next_chars - chars))
            filter (where accuracy >= threshold and next_accuracy < threshold) as first_down,
        max(chars + (accuracy - threshold) / (accuracy - next_accuracy) * (next_chars - chars))
            filter (where accuracy >= threshold and next_accuracy < threshold) as last_down
    from steps
    cross join settings
    group by simulated, provider, model, setup, task, axis, part, x, measure, is_reference
),

bounded as (
    select
        crossings.*,
        limit_chars,
        case when ecl_crossing = 'last_down' then last_down else first_down end as crossing,
        reached and first_down is null as never_below
    from crossings
    left join limits using (simulated, provider, model, setup, task)
    cross join settings
),

ends as (
    select
        *,
        case
            when not reached then 0
            else least(coalesce(crossing, measured_chars), limit_chars)
        end as bound_low,
        case
            when not reached then least(shortest_chars, limit_chars)
            when never_below then limit_chars
            else least(crossing, limit_chars)
        end as bound_high
    from bounded
)

select
    provider,
    model,
    setup,
    task,
    axis,
    part,
    x,
    is_reference,
    measure,
    threshold,
    case when bound_low = bound_high then bound_low end as effective_chars,
    limit_chars,
    measured_chars,
    never_below,
    bound_low,
    bound_high,
    simulated
from ends
