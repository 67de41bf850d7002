-- check: trials asked again although they had been answered in full
select trial_id
from attempts
where final and outcome = 'answered'
group by trial_id
having count(*) > 1
