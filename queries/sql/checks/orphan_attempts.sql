-- check: attempts whose trial is not in the file
select attempt_id
from attempts
anti join trials using (trial_id)
