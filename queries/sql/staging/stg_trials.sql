-- grain: one row per trial that has a prompt: how it ended, and the judgement if it is an answer
-- outcome is the last attempt's; a trial whose last attempt was not its end is pending. A score
-- counts only while the trial's end is an answer, so a retry that ends otherwise hides it.
with keyed as (
    select
        *,
        hash(trial_id) as trial_key,
        hash(cell_id) as cell_key
    from trials
),

ended as (
    select
        keyed.*,
        case when stg_attempts.final then stg_attempts.outcome else 'pending' end as outcome,
        stg_attempts.* exclude (trial_key, outcome)
    from keyed
    left join stg_attempts using (trial_key)
),

told_apart as (
    select
        *,
        outcome in ('answered', 'truncated') as answered
    from ended
)

select
    told_apart.*,
    split_part(outcome, ':', 1) as outcome_kind,
    case when answered then stg_scores.value end as value,
    case when answered then stg_scores.label end as label,
    case when answered then stg_scores.scorer end as scorer,
    case when answered then stg_scores.profile end as profile,
    case when answered then stg_scores.detail end as detail
from told_apart
left join stg_scores using (trial_key)
