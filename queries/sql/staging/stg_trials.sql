-- grain: one row per trial that has a prompt: how it ended, and the judgement if it is an answer
-- outcome is the last attempt's; a trial whose last attempt was not its end is pending. A score
-- counts only while the trial's end is an answer, so a retry that ends otherwise hides it.
-- trial_place and score_place are the rows of trials and scores that hold the rest.
with ended as (
    select
        * exclude (final, last_outcome, is_changed),
        hash(cell_id) as cell_key,
        case when final then last_outcome else 'pending' end as outcome,
        coalesce(final and split_part(last_outcome, ':', 1) in ('answered', 'truncated'), false)
            as answered
    from stg_gathered
)

select
    * exclude (score_place, score, score_label, scorer, profile),
    split_part(outcome, ':', 1) as outcome_kind,
    case when answered then score_place end as score_place,
    case when answered then score end as value,
    case when answered then score_label end as label,
    case when answered then scorer end as scorer,
    case when answered then profile end as profile
from ended
