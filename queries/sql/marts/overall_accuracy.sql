-- grain: one row per model x benchmark x size: every task weighs the same
-- A blank (NULL) accuracy means that the model lacks answers for a task that the file sweeps at this
-- size. Needle Threading's mean is the paper's: branched and natural-text tasks are left out of it,
-- and paper_complete says whether all of the paper's five tasks are in it.
with by_task as (
    select
        simulated,
        provider,
        model,
        setup,
        family,
        task,
        size,
        size_unit,
        sum(sum_value) / nullif(sum(n_scored), 0) as accuracy,
        sum(n_scored) as n_answered
    from stg_cells
    left join stg_cell_totals using (cell_key)
    where
        task not in (
            'needle_threading.branched_threading',
            'needle_threading.natural_threading',
            'needle_threading.natural_multi_threading'
        )
    group by all
),

swept as (
    select
        family,
        size,
        count(distinct task) as n_tasks_swept
    from by_task
    group by family, size
)

select
    provider,
    model,
    setup,
    family as benchmark,
    size,
    size_unit,
    count(by_task.accuracy) as n_tasks,
    any_value(n_tasks_swept) as n_tasks_swept,
    case when count(by_task.accuracy) = any_value(n_tasks_swept) then avg(by_task.accuracy) end
        as accuracy,
    coalesce(sum(n_answered), 0)::bigint as n_answered,
    family = 'needle_threading' and count(by_task.accuracy) = 5 as paper_complete,
    simulated
from by_task
inner join swept using (family, size)
group by simulated, provider, model, setup, family, size, size_unit
