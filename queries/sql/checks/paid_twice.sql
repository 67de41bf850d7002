-- check: trials asked again although they had been answered in full
select trial_id
from attempts
where final and split_part(outcome, ':', 1) = 'answered'
group by trial_id
having count(*) > 1
