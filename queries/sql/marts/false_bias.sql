-- grain: one row per model x task x size x cot, over answered true/false questions
-- Labels are balanced, so a model without bias has as many False as True: bias is (False - True) / n,
-- from -1 to 1, with n all answers. The interval is Agresti and Min's (half an answer is added to
-- each side).
with per_cell as (
    select
        cell_key,
        count(*) filter (where label = 'true') as n_true,
        count(*) filter (where label = 'false') as n_false,
        count(*) filter (where label not in ('true', 'false')) as n_other,
        count(*) filter (where not answered) as n_not_evaluated
    from stg_trials
    where outcome <> 'pending'
    group by cell_key
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
        sum(n_true)::bigint as n_true,
        sum(n_false)::bigint as n_false,
        sum(n_other)::bigint as n_other,
        sum(n_true + n_false + n_other)::bigint as n,
        sum(n_not_evaluated)::bigint as n_not_evaluated
    from per_cell
    inner join stg_cells using (cell_key)
    where answer = 'true_false'
    group by all
),

smoothed as (
    select
        *,
        (n_false - n_true) / (n + 2) as centre,
        (n_false + n_true + 1) / (n + 2) as decided
    from counted
)

select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    cot,
    n_true,
    n_false,
    n_other,
    n_not_evaluated,
    n_false / nullif(n, 0) as p_false,
    (n_false - n_true) / nullif(n, 0) as bias,
    case when n > 0
        then greatest(centre - z * sqrt(greatest(decided - centre * centre, 0) / (n + 2)), -1)
    end as bias_low,
    case when n > 0
        then least(centre + z * sqrt(greatest(decided - centre * centre, 0) / (n + 2)), 1)
    end as bias_high,
    simulated
from smoothed
cross join settings
