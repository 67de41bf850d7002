-- grain: one row per model x task x fixed axis value x size x seed: what the bootstrap resamples
with placed as (
    select
        stg_cells.cell_key,
        stg_curves.axis,
        stg_curves.part,
        coalesce(stg_curves.x, 0) as x,
        stg_curves.chars,
        stg_curves.provider,
        stg_curves.model,
        stg_curves.setup,
        stg_curves.simulated,
        stg_curves.task
    from stg_cells
    inner join stg_curves
        on
            stg_cells.simulated = stg_curves.simulated
            and stg_cells.provider = stg_curves.provider
            and stg_cells.model = stg_curves.model
            and stg_cells.setup = stg_curves.setup
            and stg_cells.task = stg_curves.task
            and stg_cells.size is not distinct from stg_curves.size
            and stg_cells.size_unit = stg_curves.size_unit
            and (
                case stg_curves.axis
                    when 'depth' then stg_cells.depth
                    when 'needles' then stg_cells.needles
                    when 'thread_length' then stg_cells.thread_length
                end::double
            ) is not distinct from stg_curves.x
            and (
                case stg_curves.axis
                    when 'cot' then stg_cells.cot::varchar
                    when 'question' then stg_cells.question
                    else ''
                end
            ) = stg_curves.part
)

select
    simulated, provider, model, setup, task, axis, part, x, chars, seed,
    count(value) as n,
    sum(value) as total
from stg_counted_trials
inner join placed using (cell_key)
where value is not null
group by all
order by all
