-- check: attempts with a negative cost
select attempt_id
from attempts
where cost_pusd < 0
