-- grain: one row per trial tried since trials were last gathered: its last attempt, the cost of all
-- cost_pusd adds up what is known; n_cost_unknown counts the attempts that it leaves out. Most
-- trials have one attempt: only the others are summed up, and their earlier attempts are left out.
-- A trial that was never sent has attempt 0, once for each time that it was planned.
-- Trials are matched by 64 bits of hash in place of the name, in half the time: that two of a
-- million share one has a chance of 1 in 37 million.
with keyed as not materialized (
    select
        *,
        hash(trial_id) as trial_key,
        rowid as place
    from attempts
    where rowid >= (select coalesce(max(attempts_seen), 0) from gathered_trials)
),

retried as (
    select distinct trial_key
    from keyed
    where n <> 1
),

summed as (
    select
        trial_key,
        arg_max(place, (n::hugeint << 40) + place) as last_place,
        min(started_at) as started_at,
        max(finished_at) as finished_at,
        coalesce(try_cast(sum(cost_pusd) as bigint), any_value(9223372036854775807) filter (where cost_pusd > 0))
            as cost_pusd,
        count(*) filter (where cost_pusd is null) as n_cost_unknown,
        count(*) filter (where maybe_billed) as n_maybe_billed
    from keyed
    semi join retried using (trial_key)
    group by trial_key
)

select
    keyed.trial_key,
    keyed.n as attempts,
    keyed.final,
    keyed.outcome as last_outcome,
    coalesce(summed.started_at, keyed.started_at) as started_at,
    coalesce(summed.finished_at, keyed.finished_at) as finished_at,
    keyed.input_tokens,
    keyed.cache_read_tokens,
    keyed.cache_write_tokens,
    keyed.output_tokens,
    keyed.reasoning_tokens,
    coalesce(summed.cost_pusd, keyed.cost_pusd) as cost_pusd,
    coalesce(summed.n_cost_unknown, (keyed.cost_pusd is null)::bigint) as n_cost_unknown,
    coalesce(summed.n_maybe_billed, keyed.maybe_billed::bigint) as n_maybe_billed,
    keyed.queue_s,
    keyed.first_byte_s,
    keyed.latency_s
from keyed
left join summed using (trial_key)
where summed.last_place is null or summed.last_place = keyed.place
