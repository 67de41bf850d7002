-- grain: one row per model x task x fixed axis value x size: accuracy along the length in characters
-- The fixed axis is the one a contour is drawn over, as the task says (curve_axis): at a number its
-- value is x, at anything else it is part. Every other axis is averaged. Sizes in other
-- units are placed at the mean length of their prompts.
select
    simulated,
    provider,
    model,
    setup,
    task,
    curve_axis as axis,
    curve_x as x,
    curve_part as part,
    size,
    size_unit,
    case when size_unit = 'chars' then size else avg(prompt_chars) end as chars,
    sum(n_scored)::bigint as n_answered,
    sum(sum_value) / nullif(sum(n_scored), 0) as accuracy,
    sum(coalesce(sum_value, 0))
    / nullif(sum(n_scored + n_refused + n_blocked + n_empty + n_truncated_reasoning), 0)
        as accuracy_strict,
    max(context_window) as context_window,
    sum(chars_with_usage) as chars_with_usage,
    sum(input_tokens) as input_tokens
from stg_cells
inner join stg_cell_totals using (cell_key)
group by
    simulated, provider, model, setup, task, axis, x, part, size, size_unit
