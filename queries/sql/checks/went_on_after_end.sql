-- check: trials that went on after their end, without a new start that could have asked for it
select attempts.trial_id
from attempts
inner join (
    select
        trial_id,
        min(n) as ended_at
    from attempts
    where final
    group by trial_id
) as ended using (trial_id)
inner join reservations using (attempt_id)
inner join (
    select
        reservations.trial_id,
        reservations.n,
        reservations.sweep_id
    from reservations
) as first_run
    on
        attempts.trial_id = first_run.trial_id
        and ended.ended_at = first_run.n
        and reservations.sweep_id = first_run.sweep_id
where attempts.n > ended.ended_at
