-- grain: one row per model x task x k x question x name order x position
-- mentioned counts the replies that name the person at this position, n all answers, right and wrong.
-- name_order is presented (the line of the context) or reasoning (the place in the chain). Equal
-- patterns of mentions are counted before they are taken apart, which keeps this fast.
with chains as (
    select cell_key
    from stg_cells
    where answer = 'amount'
),

patterns as (
    select
        cell_key,
        detail -> '$.mentioned_presented' as presented,
        detail -> '$.mentioned_reasoning' as reasoning
    from stg_counted_trials
    semi join chains using (cell_key)
    inner join scores on score_place = scores.rowid
),

counted as (
    select cell_key, 'presented' as name_order, presented as pattern, count(*) as n
    from patterns
    group by cell_key, presented
    union all
    select cell_key, 'reasoning' as name_order, reasoning as pattern, count(*) as n
    from patterns
    group by cell_key, reasoning
),

taken_apart as (
    select
        cell_key,
        name_order,
        n,
        unnest(pattern::utinyint[]) as is_mentioned,
        generate_subscripts(pattern::utinyint[], 1) as position
    from counted
),

per_cell as (
    select
        cell_key,
        name_order,
        position,
        sum(n) as n,
        sum(n * is_mentioned) as mentioned
    from taken_apart
    group by cell_key, name_order, position
)

select
    provider,
    model,
    setup,
    task,
    k,
    question,
    name_order,
    position,
    sum(n)::bigint as n,
    sum(mentioned)::bigint as mentioned,
    sum(mentioned) / sum(n) as ratio,
    1 - sum(mentioned) / sum(n) as missing,
    simulated
from per_cell
inner join stg_cells using (cell_key)
group by all
