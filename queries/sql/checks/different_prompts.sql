-- check: points whose prompt is not the same for every model, at one seed
with asked as (
    select
        cells.task,
        cells.task_version,
        cells.size,
        cells.point::varchar as point,
        cells.switches::varchar as switches,
        cells.inputs::varchar as inputs,
        trials.seed,
        trials.prompt_hash
    from trials
    inner join cells using (cell_id)
)

select
    task,
    point,
    seed
from asked
group by task, task_version, size, point, switches, inputs, seed
having min(prompt_hash) <> max(prompt_hash)
