-- grain: one row per model x benchmark x condition x size: every task weighs the same
-- condition keeps apart what a benchmark asks in two ways (cot, question); '' where there is one way.
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
        plain_task as task,
        curve_part as condition,
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
        simulated,
        overall,
        condition,
        size,
        count(distinct task) as n_tasks_swept
    from by_task
    group by simulated, overall, condition, size
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
    condition,
    simulated
from by_task
inner join swept using (simulated, overall, condition, size)
group by simulated, provider, model, setup, overall, condition, size, size_unit
