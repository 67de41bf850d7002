-- check: attempts with the same number within one trial
select
    trial_id,
    n
from attempts
where n > 0  -- what is never sent has no number, and may be planned again
group by trial_id, n
having count(*) > 1
