-- check: trials that ended in an answer and have no score
select attempts.trial_id
from attempts
anti join scores using (trial_id)
where attempts.final and attempts.outcome in ('answered', 'truncated')
