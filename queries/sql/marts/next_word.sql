-- grain: one row per model x size: next-word accuracy beside reasoning accuracy
-- reasoning is the equal-weight mean over the true/false tasks of the same benchmark. pearson_r, over the model's
-- sizes that have both, is repeated on each of its rows.
with by_task as (
    select
        simulated,
        provider,
        model,
        setup,
        family,
        task,
        answer,
        size,
        sum(sum_value) / nullif(sum(n_scored), 0) as accuracy,
        sum(n_scored)::bigint as n
    from stg_cells
    inner join stg_cell_totals using (cell_key)
    where answer in ('word', 'true_false')
    group by all
),

by_size as (
    select
        simulated,
        provider,
        model,
        setup,
        family,
        size,
        avg(accuracy) filter (where answer = 'word') as next_word,
        avg(accuracy) filter (where answer = 'true_false') as reasoning,
        sum(n) filter (where answer = 'word') as n_next_word,
        sum(n) filter (where answer = 'true_false') as n_reasoning
    from by_task
    group by all
)

select
    provider,
    model,
    setup,
    size,
    next_word,
    reasoning,
    n_next_word,
    n_reasoning,
    corr(next_word, reasoning) over same_model as pearson_r,
    count(*) over same_model as n_sizes,
    simulated
from by_size
where next_word is not null and reasoning is not null
window same_model as (partition by simulated, provider, model, setup, family)
