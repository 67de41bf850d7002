-- grain: one row per model, in dollars; what it cost as a judge included
-- settled is what usage says was billed; reserved is held for attempts that are still open;
-- maybe_billed is held for attempts whose bill will never be known. Their sum, committed, is what a
-- budget is compared with. cached_saving is what the provider's cache saved, at the price tier of
-- each request: what reads saved less what writes cost more (below 0 where writes were not read). NULL means unknown (no price), never nothing.
with asked as not materialized (
    select
        hash(trial_id) as trial_key,
        hash(cell_id) as cell_key
    from trials
),

priced as (
    select
        cell_key,
        input_price,
        cache_read_price,
        cache_write_price,
        tiers
    from stg_all_cells
    inner join stg_models using (provider, model)
),

closed as not materialized (
    select
        hash(trial_id) as trial_key,
        hash(attempt_id) as attempt_key,
        cost_pusd,
        maybe_billed,
        cache_read_tokens,
        cache_write_tokens,
        coalesce(input_tokens, 0)
        + coalesce(cache_read_tokens, 0)
        + coalesce(cache_write_tokens, 0) as total_input_tokens,
        output_tokens,
        reasoning_tokens
    from attempts
),

placed as (
    select
        closed.*,
        cell_key,
        input_price,
        cache_read_price,
        cache_write_price,
        case
            when cache_read_tokens > 0 or cache_write_tokens > 0
                then list_filter(tiers, lambda tier: tier.above < total_input_tokens)[1]
        end as tier
    from closed
    inner join asked using (trial_key)
    left join priced using (cell_key)
),

-- A tier has prices of its own: what it leaves out is read and written at its input price.
in_tiers as (
    select
        *,
        case when tier is null then cache_read_price else placed.tier.cache_read end as read_price,
        case when tier is null then cache_write_price else placed.tier.cache_write end as write_price,
        coalesce(placed.tier.input, input_price) as plain_price
    from placed
),

settled as (
    select
        cell_key,
        count(*) as attempts,
        sum(cost_pusd) as settled,
        count(*) filter (where cost_pusd is null) as n_cost_unknown,
        count(*) filter (where cost_pusd is null and maybe_billed) as n_maybe_billed,
        try_cast(sum(total_input_tokens) as bigint) as input_tokens,
        try_cast(sum(output_tokens) as bigint) as output_tokens,
        try_cast(sum(reasoning_tokens) as bigint) as reasoning_tokens,
        sum(
            coalesce(cache_read_tokens, 0) * (plain_price - coalesce(read_price, plain_price))
            + coalesce(cache_write_tokens, 0) * (plain_price - coalesce(write_price, plain_price))
        ) filter (where cache_read_tokens > 0 or cache_write_tokens > 0) as cached_saving
    from in_tiers
    group by cell_key
),

begun as not materialized (
    select
        hash(trial_id) as trial_key,
        hash(attempt_id) as attempt_key,
        reserved_pusd
    from reservations
),

unsettled as (
    select
        trial_key,
        reserved_pusd,
        'open' as kind
    from begun
    anti join closed using (attempt_key)
    union all
    select
        begun.trial_key,
        reserved_pusd,
        'unknown' as kind
    from begun
    inner join closed using (attempt_key)
    where closed.cost_pusd is null and closed.maybe_billed
),

held as (
    select
        cell_key,
        sum(reserved_pusd) filter (where kind = 'open') as reserved,
        sum(reserved_pusd) filter (where kind = 'unknown') as maybe_billed
    from unsettled
    inner join asked using (trial_key)
    group by cell_key
)

select
    provider,
    model,
    sum(attempts)::bigint as attempts,
    case when count(reserved) > 0 then sum(reserved) when any_value(input_price) is not null then 0
    end / 1e12 as reserved,
    case when count(settled) > 0 then sum(settled) when any_value(input_price) is not null then 0
    end / 1e12 as settled,
    case
        when count(maybe_billed) > 0 then sum(maybe_billed)
        when any_value(input_price) is not null then 0
    end / 1e12 as maybe_billed,
    (
        coalesce(sum(settled), 0) + coalesce(sum(reserved), 0) + coalesce(sum(maybe_billed), 0)
    ) / 1e12 as committed,
    case
        when count(cached_saving) > 0 then sum(cached_saving)
        when any_value(input_price) is not null then 0
    end / 1e12 as cached_saving,
    coalesce(sum(n_maybe_billed), 0)::bigint as n_maybe_billed,
    coalesce(sum(n_cost_unknown), 0)::bigint as n_cost_unknown,
    try_cast(sum(input_tokens) as bigint) as input_tokens,
    try_cast(sum(output_tokens) as bigint) as output_tokens,
    try_cast(sum(reasoning_tokens) as bigint) as reasoning_tokens,
    simulated
from stg_all_cells
left join stg_models using (provider, model)
left join settled using (cell_key)
left join held using (cell_key)
group by provider, model, simulated
