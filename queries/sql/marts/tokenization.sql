-- grain: one row per model x kind of text, from the usage that came back
-- tokens_per_pair is for key-value haystacks (80 characters a pair): the slope over sizes, which
-- leaves the instruction out, or the plain ratio where only one size was swept. The estimated
-- columns are the same for what was counted before sending.
with estimated as (
    select
        hash(trial_id) as trial_key,
        n as attempts,
        input_tokens_estimate
    from reservations
),

per_cell as (
    select
        cell_key,
        kind,
        count(*) as n,
        sum(prompt_chars) as chars,
        sum(
            input_tokens + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
        ) as tokens,
        sum(input_tokens_estimate) as tokens_estimated
    from stg_trials
    inner join estimated using (trial_key, attempts)
    where input_tokens is not null
    group by cell_key, kind
),

paired as (
    select
        *,
        case when kind = 'uuid' then size / 80 end as pairs
    from per_cell
    inner join stg_cells using (cell_key)
)

select
    provider,
    model,
    setup,
    kind,
    any_value(tokenizer) as tokenizer,
    sum(n)::bigint as n,
    case
        when count(distinct pairs) > 1 then regr_slope(tokens / n, pairs)
        else sum(tokens) filter (where pairs > 0) / nullif(sum(pairs * n), 0)
    end as tokens_per_pair,
    case
        when count(distinct pairs) > 1 then regr_slope(tokens_estimated / n, pairs)
        else sum(tokens_estimated) filter (where pairs > 0) / nullif(sum(pairs * n), 0)
    end as tokens_per_pair_estimated,
    1000 * sum(tokens) / nullif(sum(chars), 0) as tokens_per_1k_chars,
    1000 * sum(tokens_estimated) / nullif(sum(chars), 0) as tokens_per_1k_chars_estimated,
    simulated
from paired
left join stg_models using (provider, model)
group by provider, model, setup, kind, simulated
