-- grain: one row per cell (task point x model x decoding), trials that were never sent included
-- accuracy is the mean score over answers alone; the interval is Wilson's at ci_n prompts, or at
-- ci_n asked values under nt.ci_n = answers. n_unique counts different prompts among the answers.
with counted as (
    select
        stg_cells.*,
        greatest(coalesce(n_planned, 0), coalesce(n_trials, 0)) as n_planned,
        coalesce(n_answered, 0) as n_answered,
        coalesce(n_truncated, 0) as n_truncated,
        coalesce(n_unique, 0) as n_unique,
        coalesce(n_scored, 0) as n_scored,
        sum_value / nullif(n_scored, 0) as accuracy,
        coalesce(n_done, 0) as n_done,
        cost_pusd
    from stg_cells
    left join stg_planned using (cell_id)
    left join stg_cell_totals using (cell_key)
),

sized as (
    select
        counted.*,
        z,
        n_scored * case
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
    n_planned - n_answered as n_not_evaluated,
    n_planned - n_done as n_pending,
    n_truncated,
    n_unique,
    accuracy,
    case when accuracy is not null then greatest(centre - half, 0) end as ci_low,
    case when accuracy is not null then least(centre + half, 1) end as ci_high,
    ci_n,
    cost_pusd / 1e12 as cost_usd,
    simulated
from bounded
