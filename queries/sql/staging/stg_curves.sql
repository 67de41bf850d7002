-- grain: one row per model x task x fixed axis value x size: accuracy along the length in characters
-- The fixed axis is the one a contour is drawn over; every other axis is averaged. Sizes in other
-- units are placed at the mean length of their prompts.
with placed as (
    select
        *,
        case
            when task in ('needle_threading.single_needle', 'niah.magic_number', 'niah.custom')
                then 'depth'
            when task in ('needle_threading.multi_needle', 'needle_threading.conditional_needle')
                then 'needles'
            when family = 'needle_threading' then 'thread_length'
            when family = 'flenqa' and cot is not null then 'cot'
            when family = 'needlechain' then 'question'
            else ''
        end as axis
    from stg_cells
)

select
    simulated,
    provider,
    model,
    setup,
    task,
    axis,
    case axis
        when 'depth' then depth
        when 'needles' then needles
        when 'thread_length' then thread_length
    end::double as x,
    case axis when 'cot' then cot::varchar when 'question' then question else '' end as part,
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
from placed
inner join stg_cell_totals using (cell_key)
group by
    simulated, provider, model, setup, task, axis, x, part, size, size_unit
