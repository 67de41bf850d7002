-- grain: one row per model x benchmark x size: every task weighs the same
-- A blank (NULL) accuracy means that the model lacks answers for a task that the file sweeps at this
-- size. A task says which mean it counts in (Needle Threading's is the paper's, without branched and
-- natural-text tasks); paper_complete says whether all tasks of the published mean are in it.
with by_task as (
    select
        simulated,
        provider,
        model,
        setup,
        overall,
        overall_tasks,
        task,
        size,
        size_unit,
        sum(sum_value) / nullif(sum(n_scored), 0) as accuracy,
        sum(n_scored) as n_answered
    from stg_cells
    left join stg_cell_totals using (cell_key)
    where overall is not null
    group by all
),

swept as (
    select
        overall,
        size,
        count(distinct task) as n_tasks_swept
    from by_task
    group by overall, size
)

select
    provider,
    model,
    setup,
    overall as benchmark,
    size,
    size_unit,
    count(by_task.accuracy) as n_tasks,
    any_value(n_tasks_swept) as n_tasks_swept,
    case when count(by_task.accuracy) = any_value(n_tasks_swept) then avg(by_task.accuracy) end
        as accuracy,
    coalesce(sum(n_answered), 0)::bigint as n_answered,
    coalesce(count(by_task.accuracy) = max(overall_tasks), false) as paper_complete,
    simulated
from by_task
inner join swept using (overall, size)
group by simulated, provider, model, setup, overall, size, size_unit
