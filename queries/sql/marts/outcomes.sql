-- grain: one row per model x task x outcome, over all planned trials, a judge's tasks included
-- outcome keeps its reason after a colon. A trial without an end is pending, whether it was never
-- sent or its last attempt is to be repeated. share is of the model's planned trials of this task.
with ended as (
    select
        cell_key,
        outcome,
        count(*) as n
    from stg_counted_trials
    where outcome <> 'pending'
    group by cell_key, outcome
),

unended as (
    select
        cell_key,
        'pending' as outcome,
        n_pending as n
    from stg_counts
),

counted as (
    select * from ended
    union all
    select * from unended where n > 0
)

select
    provider,
    model,
    setup,
    task,
    outcome,
    sum(n)::bigint as n,
    sum(n) / sum(sum(n)) over (partition by simulated, provider, model, setup, task) as share,
    split_part(outcome, ':', 1) in ('answered', 'truncated') as counts_in_accuracy,
    simulated
from counted
inner join stg_asked_cells using (cell_key)
group by simulated, provider, model, setup, task, outcome
