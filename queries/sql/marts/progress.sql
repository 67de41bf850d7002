-- grain: one row per model, over the trials that the newest start of each sweep plans; no judge's
-- Sweeps of another seed ask other trials of the same cells.
-- spent_usd is all that is known to be paid for the model's trials, also of cells no longer planned.
-- pending_reason is why the rest was not sent when the newest sweep ended, where it said so.
with benchmarks as (
    select distinct sweep_id
    from sweep_cells
    semi join stg_cells using (cell_id)
),

reasons as (
    select
        pending.model as name,
        string_agg(distinct outcome, ', ' order by outcome) as pending_reason
    from pending
    inner join stg_newest using (sweep_id)
    semi join benchmarks using (sweep_id)
    group by pending.model
),

ended as (
    select
        stg_wanted.cell_id,
        sweep_seed,
        count(*) filter (where outcome <> 'pending') as n_done,
        count(value) as n_answered,
        count(*) filter (where outcome = 'pending' and attempts > 0) as n_begun
    from stg_trials
    inner join stg_wanted using (cell_key)
    where repeat < repeats and seed = sweep_seed * 4294967296 + repeat  -- as a trial's seed is made
    group by stg_wanted.cell_id, sweep_seed
),

paid as (
    select
        simulated,
        provider,
        model,
        sum(cost_pusd) as cost_pusd
    from stg_cells
    inner join stg_cell_totals using (cell_key)
    group by simulated, provider, model
)

select
    provider,
    model,
    sum(repeats)::bigint as n_planned,
    coalesce(sum(n_done), 0)::bigint as n_done,
    coalesce(sum(n_answered), 0)::bigint as n_answered,
    (sum(repeats) - coalesce(sum(n_answered), 0))::bigint as n_not_evaluated,
    (sum(repeats) - coalesce(sum(n_done), 0))::bigint as n_pending,
    coalesce(sum(n_begun), 0)::bigint as n_begun,
    coalesce(sum(n_done), 0) / sum(repeats) as share_done,
    any_value(cost_pusd) / 1e12 as spent_usd,
    any_value(pending_reason) as pending_reason,
    simulated
from stg_wanted
inner join stg_cells using (cell_id)
left join ended using (cell_id, sweep_seed)
left join paid using (simulated, provider, model)
left join reasons on name in (model, provider || '/' || model)
group by simulated, provider, model
