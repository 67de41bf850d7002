-- grain: one row per model x task x size: all its cells pooled
-- Prompts of one seed share a haystack (or a base instance), so they are clusters: the variance is
-- the cluster-robust one (CR1), turned into the number of independent prompts that would give it,
-- n_effective, shrunk by (z/t)^2 for few clusters, and Wilson's interval is taken there. It is never
-- above the number of answers, nor of different prompts under flenqa.dedup. With one cluster, or a
-- rate of 0 or 1, the variance says nothing and the interval rests on that number alone.
-- Under report.interval = wilson it is Wilson's at the number of answers, as if all were independent.
-- chance is what guessing gives at what was answered, as the task says; of true/false questions it is
-- what the commonest right answer would get.
with grouped as (
    select
        *,
        dense_rank() over (
            order by simulated, provider, model, setup, task, size, size_unit
        ) as group_id
    from stg_cells
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
        sum(n_planned)::bigint as n_planned,
        sum(n_not_evaluated)::bigint as n_not_evaluated,
        case
            when min(chance) = max(chance) then min(chance)
            else coalesce(
                sum(chance * n_answered) / nullif(sum(n_answered) filter (where chance is not null), 0),
                avg(chance)
            )
        end as chance
    from grouped
    inner join stg_counts using (cell_key)
    group by all
),

per_cluster as (
    select
        group_id,
        seed,
        count(value) as n,
        sum(value) as total,
        count(distinct prompt_key) filter (where value is not null) as n_unique,
        count(*) filter (
            where answer = 'true_false'
            and ((label = 'true' and value >= 0.5) or (label = 'false' and value < 0.5))
        ) as n_are_true,
        count(*) filter (where answer = 'true_false' and label in ('true', 'false')) as n_decided
    from stg_counted_trials
    inner join grouped using (cell_key)
    group by group_id, seed
),

per_size as (
    select
        group_id,
        sum(n)::bigint as n_answered,
        sum(n_unique)::bigint as n_unique,
        count(*) filter (where n > 0) as clusters,
        greatest(sum(n_are_true), sum(n_decided - n_are_true)) / nullif(sum(n_decided), 0)
            as commonest,
        sum(total) / nullif(sum(n), 0) as accuracy,
        sum(total * total) as totals_squared,
        sum(total * n) as totals_by_n,
        sum(n * n) as n_squared
    from per_cluster
    group by group_id
),

spread as (
    select
        *,
        (totals_squared - 2 * accuracy * totals_by_n + accuracy * accuracy * n_squared)
        / (n_answered * n_answered::double) * clusters / nullif(clusters - 1, 0) as variance,
        case when dedup then n_unique else n_answered end as n_most,
        z,
        interval_kind
    from per_size
    cross join settings
),

shrunk as (
    select
        spread.*,
        t
    from spread
    left join stg_student_t on df = least(clusters - 1, 2000)
),

effective as (
    select
        *,
        case
            when interval_kind = 'wilson' then n_answered
            when variance > 1e-12 and accuracy > 0 and accuracy < 1
                then least(n_most, accuracy * (1 - accuracy) / variance * (z / t) ** 2)
            else n_most
        end as n_effective
    from shrunk
),

bounded as (
    select
        *,
        (accuracy + z * z / (2 * n_effective)) / (1 + z * z / n_effective) as centre,
        z * sqrt(accuracy * (1 - accuracy) / n_effective + z * z / (4 * n_effective * n_effective))
        / (1 + z * z / n_effective) as half
    from effective
)

select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    n_planned,
    coalesce(n_answered, 0) as n_answered,
    n_not_evaluated,
    coalesce(n_unique, 0) as n_unique,
    coalesce(clusters, 0) as clusters,
    n_effective,
    accuracy,
    case when accuracy is not null then greatest(centre - half, 0) end as ci_low,
    case when accuracy is not null then least(centre + half, 1) end as ci_high,
    coalesce(commonest, chance) as chance,
    simulated
from groups
left join bounded using (group_id)
