-- grain: one row per trial that was tried: its last attempt, and the cost of all of them
-- cost_pusd adds up what is known; n_cost_unknown counts the attempts that it leaves out. Most
-- trials have one attempt, and only the others are grouped: it halves the time on large files.
with retried as (
    select distinct trial_id
    from attempts
    where n > 1
),

tried_once as (
    select
        trial_id,
        n as attempts,
        final,
        outcome,
        started_at,
        finished_at,
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        reasoning_tokens,
        cost_pusd,
        (cost_pusd is null)::bigint as n_cost_unknown,
        maybe_billed::bigint as n_maybe_billed,
        queue_s,
        first_byte_s,
        latency_s
    from attempts
    anti join retried using (trial_id)
),

tried_again as (
    select
        trial_id,
        max(n) as attempts,
        arg_max(final, n) as final,
        arg_max(outcome, n) as outcome,
        min(started_at) as started_at,
        max(finished_at) as finished_at,
        arg_max_null(input_tokens, n) as input_tokens,
        arg_max_null(cache_read_tokens, n) as cache_read_tokens,
        arg_max_null(cache_write_tokens, n) as cache_write_tokens,
        arg_max_null(output_tokens, n) as output_tokens,
        arg_max_null(reasoning_tokens, n) as reasoning_tokens,
        sum(cost_pusd)::bigint as cost_pusd,
        count(*) filter (where cost_pusd is null) as n_cost_unknown,
        count(*) filter (where maybe_billed) as n_maybe_billed,
        arg_max_null(queue_s, n) as queue_s,
        arg_max_null(first_byte_s, n) as first_byte_s,
        arg_max_null(latency_s, n) as latency_s
    from attempts
    semi join retried using (trial_id)
    group by trial_id
)

select * from tried_once
union all
select * from tried_again
