-- check: scores by a judge that gave no full answer
with verdicts as (
    select
        trial_id,
        detail ->> '$.judge_trial' as judge_trial
    from scores
    where scorer like '%.judge'
)

select verdicts.trial_id
from verdicts
anti join (
    select trial_id
    from attempts
    where split_part(outcome, ':', 1) = 'answered'
) as answered on verdicts.judge_trial = answered.trial_id
