-- check: trials judged twice over one attempt, with no score that says it is given again
select trial_id
from scores
anti join (
    select trial_id
    from attempts
    where n > 1
) as retried using (trial_id)
group by trial_id
having count(*) > 1 and not bool_or(again)
