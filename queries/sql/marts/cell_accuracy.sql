-- grain: one row per cell (task point x model x decoding), trials that were never sent included
-- accuracy is the mean score over answers alone; the interval is Wilson's at ci_n prompts, or at
-- ci_n asked values under nt.ci_n = answers. n_unique counts different prompts among the answers.
-- cost_usd adds up the bills that are known, of all trials; it is a lower bound where n_cost_unknown
-- attempts have none.
with counted as (
    select
        stg_cells.*,
        n_planned,
        n_answered,
        n_not_evaluated,
        n_pending,
        coalesce(n_truncated, 0) as n_truncated,
        coalesce(n_unique, 0) as n_unique,
        sum_value / nullif(n_answered, 0) as accuracy,
        cost_pusd,
        n_cost_unknown
    from stg_cells
    inner join stg_counts using (cell_key)
),

sized as (
    select
        counted.*,
        z,
        n_answered * case
            when ci_n = 'answers' then values_asked
            else 1
        end as ci_n
    from counted
    cross join settings
),

bounded as (
    select
        *,
        (accuracy + z * z / (2 * ci_n)) / (1 + z * z / ci_n) as centre,
        z * sqrt(accuracy * (1 - accuracy) / ci_n + z * z / (4.0 * ci_n * ci_n))
        / (1 + z * z / ci_n) as half
    from sized
)

select
    cell_id,
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    depth,
    needles,
    placement,
    thread_length,
    direction,
    threads,
    branching,
    padding,
    cot,
    k,
    question,
    n_planned,
    n_answered,
    n_not_evaluated,
    n_pending,
    n_truncated,
    n_unique,
    accuracy,
    case when accuracy is not null then greatest(centre - half, 0) end as ci_low,
    case when accuracy is not null then least(centre + half, 1) end as ci_high,
    ci_n,
    cost_pusd / 1e12 as cost_usd,
    coalesce(n_cost_unknown, 0)::bigint as n_cost_unknown,
    simulated
from bounded
