-- check: trials that ended in an answer and have no score
-- A judge's own trials have none: what it says is a score of the trial that it judged.
select attempts.trial_id
from attempts
inner join trials using (trial_id)
inner join cells using (cell_id)
anti join scores using (trial_id)
where
    attempts.final
    and split_part(attempts.outcome, ':', 1) in ('answered', 'truncated')
    and not starts_with(cells.task, 'judge.')
