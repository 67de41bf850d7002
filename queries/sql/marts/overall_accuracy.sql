-- grain: one row per model x benchmark x condition x size: every task weighs the same
-- condition keeps apart what a benchmark asks in two ways (cot, question); '' where there is one way.
-- A blank (NULL) accuracy means that the model lacks answers for a task that the file sweeps at this
-- size. A task says which mean it counts in (Needle Threading's is the paper's, without branched and
-- natural-text tasks); paper_complete says whether all tasks of the published mean are in it.
-- Of a model that was asked in several ways, a task counts in each way that it takes no part in: a
-- switch that some tasks do not know does not keep them from the mean.
with by_task as (
    select
        simulated,
        provider,
        model,
        setup,
        asked_as,
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

setups as (
    select distinct
        simulated,
        provider,
        model,
        overall,
        setup,
        asked_as
    from by_task
),

whole_setups as (
    select *
    from setups
    where not exists (
        select 1
        from setups as wider
        where
            wider.simulated = setups.simulated
            and wider.provider = setups.provider
            and wider.model = setups.model
            and wider.overall = setups.overall
            and len(wider.asked_as) > len(setups.asked_as)
            and list_has_all(wider.asked_as, setups.asked_as)
    )
),

in_setups as (
    select
        by_task.* exclude (setup, asked_as),
        whole_setups.setup
    from by_task
    inner join whole_setups
        on
            by_task.simulated = whole_setups.simulated
            and by_task.provider = whole_setups.provider
            and by_task.model = whole_setups.model
            and by_task.overall = whole_setups.overall
            and list_has_all(whole_setups.asked_as, by_task.asked_as)
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
    count(in_setups.accuracy) as n_tasks,
    any_value(n_tasks_swept) as n_tasks_swept,
    case when count(in_setups.accuracy) = any_value(n_tasks_swept) then avg(in_setups.accuracy) end
        as accuracy,
    coalesce(sum(n_answered), 0)::bigint as n_answered,
    coalesce(count(in_setups.accuracy) = max(overall_tasks), false) as paper_complete,
    condition,
    simulated
from in_setups
inner join swept using (simulated, overall, condition, size)
group by simulated, provider, model, setup, overall, condition, size, size_unit
