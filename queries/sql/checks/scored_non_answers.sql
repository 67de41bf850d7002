-- check: scores of trials that never had an answer
select scores.trial_id
from scores
anti join (
    select trial_id
    from attempts
    where split_part(outcome, ':', 1) in ('answered', 'truncated')
) as answered using (trial_id)
