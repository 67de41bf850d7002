-- grain: one row per trial that has a prompt: its last attempt and newest score
-- gathered_trials, brought up to date with the facts that came after it; all of it is made here
-- where nothing was gathered yet. Whoever writes the file keeps these rows in gathered_trials.
with known as (
    select
        * exclude (trials_seen, attempts_seen, scores_seen),
        false as is_new
    from gathered_trials
    union all by name
    select
        hash(trial_id) as trial_key,
        rowid as trial_place,
        cell_id,
        repeat,
        seed,
        hash(prompt_hash) as prompt_key,
        prompt_chars,
        kind,
        true as is_new
    from trials
    where rowid >= (select coalesce(max(trials_seen), 0) from gathered_trials)
)

select
    known.trial_key,
    known.trial_place,
    known.cell_id,
    known.repeat,
    known.seed,
    known.prompt_key,
    known.prompt_chars,
    known.kind,
    coalesce(tried.attempts, known.attempts) as attempts,
    case when tried.attempts is not null then tried.final else known.final end as final,
    case when tried.attempts is not null then tried.last_outcome else known.last_outcome end
        as last_outcome,
    coalesce(known.started_at, tried.started_at) as started_at,
    coalesce(tried.finished_at, known.finished_at) as finished_at,
    case when tried.attempts is not null then tried.input_tokens else known.input_tokens end
        as input_tokens,
    case when tried.attempts is not null then tried.cache_read_tokens else known.cache_read_tokens end
        as cache_read_tokens,
    case when tried.attempts is not null then tried.cache_write_tokens else known.cache_write_tokens end
        as cache_write_tokens,
    case when tried.attempts is not null then tried.output_tokens else known.output_tokens end
        as output_tokens,
    case when tried.attempts is not null then tried.reasoning_tokens else known.reasoning_tokens end
        as reasoning_tokens,
    coalesce(
        case
            when known.cost_pusd::hugeint + tried.cost_pusd < 9223372036854775807
                then (known.cost_pusd::hugeint + tried.cost_pusd)::bigint
            when known.cost_pusd + tried.cost_pusd::hugeint is not null then 9223372036854775807
        end,
        tried.cost_pusd,
        known.cost_pusd
    ) as cost_pusd,
    coalesce(known.n_cost_unknown + tried.n_cost_unknown, tried.n_cost_unknown, known.n_cost_unknown)
        as n_cost_unknown,
    coalesce(known.n_maybe_billed + tried.n_maybe_billed, tried.n_maybe_billed, known.n_maybe_billed)
        as n_maybe_billed,
    case when tried.attempts is not null then tried.queue_s else known.queue_s end as queue_s,
    case when tried.attempts is not null then tried.first_byte_s else known.first_byte_s end as first_byte_s,
    case when tried.attempts is not null then tried.latency_s else known.latency_s end as latency_s,
    coalesce(judged.score_place, known.score_place) as score_place,
    coalesce(judged.scored_at, known.scored_at) as scored_at,
    coalesce(judged.score, known.score) as score,
    coalesce(judged.score_label, known.score_label) as score_label,
    coalesce(judged.scorer, known.scorer) as scorer,
    coalesce(judged.profile, known.profile) as profile,
    is_new or tried.attempts is not null or judged.score_place is not null as is_changed
from known
left join stg_new_attempts as tried using (trial_key)
left join stg_new_scores as judged using (trial_key)
