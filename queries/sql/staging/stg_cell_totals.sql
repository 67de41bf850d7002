-- grain: one row per cell: sums over its trials, from which rates over wider groups are added up
-- What does not count in metrics (needlechain.rows = first100) was paid for all the same: money, tokens
-- and attempts are of all trials.
with summed_usage as (
    select
        *,
        input_tokens
        + coalesce(cache_read_tokens, 0)
        + coalesce(cache_write_tokens, 0) as total_input_tokens
    from stg_counted_trials
),

paid as (
    select
        cell_key,
        sum(output_tokens) as output_tokens,
        sum(reasoning_tokens) as reasoning_tokens,
        sum(cost_pusd) as cost_pusd,
        sum(n_cost_unknown)::bigint as n_cost_unknown,
        sum(attempts)::bigint as n_attempts
    from stg_trials
    group by cell_key
)

select
    cell_key,
    count(trial_key) as n_trials,
    count(*) filter (where outcome <> 'pending') as n_done,
    count(value) as n_scored,
    sum(value) as sum_value,
    count(distinct prompt_key) filter (where value is not null) as n_unique,
    count(*) filter (
        where label in ('refused', 'other/refused', 'other_refused') and outcome_kind <> 'truncated'
    ) as n_text_refused,
    count(*) filter (where outcome_kind = 'refused') as n_refused,
    count(*) filter (where outcome_kind in ('blocked_input', 'blocked_output')) as n_blocked,
    count(*) filter (where outcome_kind = 'empty') as n_empty,
    count(*) filter (where outcome_kind = 'truncated') as n_truncated,
    count(*) filter (where outcome_kind = 'truncated_reasoning') as n_truncated_reasoning,
    count(*) filter (where outcome_kind in ('over_context', 'too_large_for_tier'))
        as n_not_sendable,
    avg(prompt_chars) as prompt_chars,
    sum(prompt_chars) filter (where total_input_tokens > 0) as chars_with_usage,
    sum(total_input_tokens) filter (where total_input_tokens > 0) as input_tokens,
    any_value(paid.output_tokens) as output_tokens,
    any_value(paid.reasoning_tokens) as reasoning_tokens,
    any_value(paid.cost_pusd) as cost_pusd,
    any_value(paid.n_cost_unknown) as n_cost_unknown,
    any_value(n_attempts) as n_attempts
from paid
left join summed_usage using (cell_key)
group by cell_key
