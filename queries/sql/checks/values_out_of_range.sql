-- check: scores outside 0 to 1
select trial_id
from scores
where not (value >= 0 and value <= 1)
