-- grain: one row per model, in dollars; what it cost as a judge included
-- settled is what usage says was billed; reserved is held for attempts that are still open;
-- maybe_billed is held for attempts whose bill will never be known. Their sum, committed, is what a
-- budget is compared with. cached_saving is what reading from the provider's cache saved, at the
-- price tier of each request. NULL means unknown (no price), never nothing.
with closed as (
    select
        trial_id,
        attempt_id,
        cost_pusd,
        maybe_billed,
        cache_read_tokens,
        coalesce(input_tokens, 0)
        + coalesce(cache_read_tokens, 0)
        + coalesce(cache_write_tokens, 0) as total_input_tokens,
        output_tokens,
        reasoning_tokens
    from attempts
),

settled as (
    select
        cell_id,
        count(*) as attempts,
        sum(cost_pusd) as settled,
        count(*) filter (where cost_pusd is null) as n_cost_unknown,
        count(*) filter (where cost_pusd is null and maybe_billed) as n_maybe_billed,
        sum(total_input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens,
        sum(reasoning_tokens)::bigint as reasoning_tokens
    from closed
    inner join trials using (trial_id)
    group by cell_id
),

held as (
    select
        trials.cell_id,
        sum(reserved_pusd) filter (where unsettled.kind = 'open') as reserved,
        sum(reserved_pusd) filter (where unsettled.kind = 'unknown') as maybe_billed
    from (
        select trial_id, reserved_pusd, 'open' as kind
        from reservations
        anti join attempts using (attempt_id)
        union all
        select reservations.trial_id, reserved_pusd, 'unknown' as kind
        from reservations
        inner join closed using (attempt_id)
        where closed.cost_pusd is null and closed.maybe_billed
    ) as unsettled
    inner join trials using (trial_id)
    group by trials.cell_id
),

read_from_cache as (
    select
        cell_id,
        sum(
            cache_read_tokens * (
                coalesce(tier.input, input_price)
                - coalesce(tier.cache_read, cache_read_price)
            )
        ) as cached_saving
    from (
        select
            cell_id,
            cache_read_tokens,
            input_price,
            cache_read_price,
            list_filter(tiers, lambda tier: tier.above < total_input_tokens)[1] as tier
        from closed
        inner join trials using (trial_id)
        inner join stg_all_cells using (cell_id)
        inner join stg_models using (provider, model)
        where cache_read_tokens > 0
    )
    group by cell_id
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
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens,
    sum(reasoning_tokens)::bigint as reasoning_tokens,
    simulated
from stg_all_cells
left join stg_models using (provider, model)
left join settled using (cell_id)
left join held using (cell_id)
left join read_from_cache using (cell_id)
group by provider, model, simulated
