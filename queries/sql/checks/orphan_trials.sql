-- check: trials whose cell is not in the file
select trial_id
from trials
anti join cells using (cell_id)
