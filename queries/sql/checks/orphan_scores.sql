-- check: scores whose trial is not in the file
select trial_id
from scores
anti join trials using (trial_id)
