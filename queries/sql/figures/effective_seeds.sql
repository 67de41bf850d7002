-- grain: one row per model x task x part of its fixed axis: lists of what the bootstrap resamples
-- shows: cot, question
-- The lists go side by side, an entry per fixed axis value x size x seed.
with curves as materialized (
    select
        *,
        row_number() over () as curve_id
    from stg_curves
),

placed as (
    select
        stg_cells.cell_key,
        curves.curve_id
    from stg_cells
    inner join curves
        on
            stg_cells.simulated = curves.simulated
            and stg_cells.provider = curves.provider
            and stg_cells.model = curves.model
            and stg_cells.setup = curves.setup
            and stg_cells.task = curves.task
            and stg_cells.size is not distinct from curves.size
            and stg_cells.size_unit = curves.size_unit
            and stg_cells.curve_x is not distinct from curves.x
            and stg_cells.curve_part = curves.part
),

per_seed as (
    select
        curve_id,
        seed,
        count(value) as n,
        sum(value) as total
    from stg_counted_trials
    inner join placed using (cell_key)
    where value is not null
    group by curve_id, seed
)

select
    provider, model, setup, simulated, task, axis, part,
    list(coalesce(x, 0)) as xs,
    list(chars) as chars,
    list(seed) as seeds,
    list(total) as totals,
    list(n) as counts
from per_seed
inner join curves using (curve_id)
group by provider, model, setup, simulated, task, axis, part
order by task, provider, model, setup, simulated, axis, part
