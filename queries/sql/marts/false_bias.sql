-- grain: one row per model x task x size x cot, over answered true/false questions
-- p_false is the share that said False, and bias is (said False - said True) / n less the same of
-- the right answers: 0 for a model that is always right whatever labels the file holds, -1 and 1 for
-- one that always says True or False to balanced labels. Twice the difference of the two kinds of
-- error, so replies without a verdict count in n alone. The interval is cluster-robust (CR1 over
-- seeds, that share an instance) with Student's t, and never narrower than Agresti and Min's over the
-- different prompts (half an error is added to each side). n_not_evaluated is the rest of the planned.
with grouped as (
    select
        *,
        dense_rank() over (
            order by simulated, provider, model, setup, task, size, size_unit, cot
        ) as group_id
    from stg_cells
    where answer = 'true_false'
),

groups as (
    select
        group_id,
        simulated,
        provider,
        model,
        setup,
        task,
        size,
        size_unit,
        cot,
        sum(n_not_evaluated)::bigint as n_not_evaluated
    from grouped
    inner join stg_counts using (cell_key)
    group by all
),

per_cluster as (
    select
        group_id,
        seed,
        count(*) filter (where label = 'true') as n_true,
        count(*) filter (where label = 'false') as n_false,
        count(*) filter (where label = 'false' and value < 0.5) as wrongly_false,
        count(*) filter (where label = 'true' and value < 0.5) as wrongly_true,
        count(*) as n,
        count(distinct prompt_key) as n_unique
    from stg_counted_trials
    inner join grouped using (cell_key)
    where value is not null
    group by group_id, seed
),

counted as (
    select
        group_id,
        sum(n_true)::bigint as n_true,
        sum(n_false)::bigint as n_false,
        sum(n - n_true - n_false)::bigint as n_other,
        sum(n)::bigint as n,
        sum(n_unique)::bigint as n_unique,
        count(*) as clusters,
        sum(wrongly_false)::bigint as wrongly_false,
        sum(wrongly_true)::bigint as wrongly_true,
        2 * sum(wrongly_false - wrongly_true) / sum(n) as bias,
        sum(4 * (wrongly_false - wrongly_true) ** 2) as totals_squared,
        sum(2 * (wrongly_false - wrongly_true) * n) as totals_by_n,
        sum(n * n) as n_squared
    from per_cluster
    group by group_id
),

spread as (
    select
        *,
        (totals_squared - 2 * bias * totals_by_n + bias * bias * n_squared)
        / (n * n::double) * clusters / nullif(clusters - 1, 0) as variance,
        case when dedup then n_unique else n end as n_most,
        interval_kind,
        z
    from counted
    cross join settings
),

smoothed as (
    select
        spread.*,
        case when interval_kind = 'cluster' then t * sqrt(greatest(variance, 0)) else 0 end as robust,
        2 * (wrongly_false - wrongly_true) / n * n_most / (n_most + 2) as centre,
        4 * ((wrongly_false + wrongly_true) / n * n_most + 1) / (n_most + 2) as decided
    from spread
    left join stg_student_t on df = least(clusters - 1, 2000)
),

ends as (
    select
        *,
        z * sqrt(greatest(decided - centre * centre, 0) / (n_most + 2)) as half
    from smoothed
)

select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    cot,
    coalesce(n_true, 0) as n_true,
    coalesce(n_false, 0) as n_false,
    coalesce(n_other, 0) as n_other,
    n_not_evaluated,
    n_false / nullif(n, 0) as p_false,
    bias,
    case when n > 0
        then greatest(least(centre - half, bias - coalesce(robust, 0)), least(-1, bias))
    end as bias_low,
    case when n > 0
        then least(greatest(centre + half, bias + coalesce(robust, 0)), greatest(1, bias))
    end as bias_high,
    coalesce(n, 0) as n,
    coalesce(n_unique, 0) as n_unique,
    coalesce(clusters, 0) as clusters,
    simulated
from groups
left join ends using (group_id)
