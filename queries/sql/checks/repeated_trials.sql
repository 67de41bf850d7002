-- check: trials that are in the file more than once
select trial_id
from trials
group by trial_id
having count(*) > 1
