-- grain: one row per model x size: next-word accuracy beside reasoning accuracy
-- reasoning is the equal-weight mean over the true/false tasks of the same benchmark. pearson_r, over the model's
-- sizes that have both, is repeated on each of its rows; pearson_r_all is that of the means over all
-- models at each size, as in the paper. Both are NULL where either accuracy is the same at every size.
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
),

measured as (
    select *
    from by_size
    where next_word is not null and reasoning is not null
),

means as (
    select
        simulated,
        family,
        size,
        avg(next_word) as next_word,
        avg(reasoning) as reasoning
    from measured
    group by simulated, family, size
),

over_all as (
    select
        simulated,
        family,
        case when isfinite(corr(next_word, reasoning)) then corr(next_word, reasoning) end
            as pearson_r_all
    from means
    group by simulated, family
),

correlated as (
    select
        *,
        corr(next_word, reasoning) over same_model as r,
        count(*) over same_model as n_sizes
    from measured
    window same_model as (partition by simulated, provider, model, setup, family)
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
    case when isfinite(r) then r end as pearson_r,
    n_sizes,
    pearson_r_all,
    simulated
from correlated
inner join over_all using (simulated, family)
