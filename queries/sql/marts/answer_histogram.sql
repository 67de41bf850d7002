-- grain: one row per model x task x size x cot x answer, over trials that came to an end
-- answer is the judged label, or the outcome in brackets where there was no answer to judge.
with per_cell as (
    select
        cell_key,
        label,
        outcome,
        count(*) as n
    from stg_counted_trials
    where outcome <> 'pending'
    group by cell_key, label, outcome
),

counted as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        size,
        size_unit,
        cot,
        coalesce(label, '(' || outcome || ')') as answer,
        sum(n)::bigint as n
    from per_cell
    inner join stg_cells using (cell_key)
    group by all
)

select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    cot,
    answer,
    n,
    n / sum(n) over (
        partition by simulated, provider, model, setup, task, size, cot
    ) as share,
    simulated
from counted
