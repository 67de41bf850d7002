-- grain: one row per model x task x size x depth, over answers
-- score is on the 10/1 scale of the README or the 1/5/10 one of the code (switch niah.score_scale);
-- of a needle of one's own it is the judge's, from 1 to 10 with 10 good under either.
-- For the negative test, accuracy is the specificity: the share that says it is not answerable.
with per_cell as (
    select
        cell_key,
        count(*) filter (where label = 'unanswerable') as unanswerable,
        count(*) filter (where label = 'not_parsable') as not_parsable
    from stg_counted_trials
    where value is not null
    group by cell_key
),

summed as (
    select
        simulated,
        provider,
        model,
        setup,
        task,
        size,
        size_unit,
        depth,
        answer,
        sum(n_answered)::bigint as n,
        coalesce(sum(sum_value), 0) as total,
        coalesce(sum(unanswerable), 0)::bigint as unanswerable,
        coalesce(sum(not_parsable), 0)::bigint as not_parsable,
        sum(n_not_evaluated)::bigint as n_not_evaluated
    from stg_cells
    inner join stg_counts using (cell_key)
    left join per_cell using (cell_key)
    where answer in ('number', 'absent', 'keywords')
    group by all
)

select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    depth,
    n,
    unanswerable,
    not_parsable,
    n_not_evaluated,
    total / nullif(n, 0) as accuracy,
    case
        when score_scale = 'readme' or answer = 'keywords' then (10 * total + (n - total)) / nullif(n, 0)
        when answer = 'absent' then (total + 10 * (n - total)) / nullif(n, 0)
        else (total + 10 * unanswerable + 5 * (n - total - unanswerable)) / nullif(n, 0)
    end as score,
    simulated
from summed
cross join settings
