-- check: attempts with the same number within one trial
select
    trial_id,
    n
from attempts
group by trial_id, n
having count(*) > 1
