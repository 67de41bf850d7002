-- grain: one row per cell, never asked ones included: of what was planned, how much its numbers rest on
-- The one meaning of these words in every view. n_answered counts the trials that ended with an answer
-- that is judged; n_not_evaluated is all the rest of what was planned: other ends, answers that nobody
-- judged yet, and n_pending, the trials without an end.
select
    asked.cell_key,
    stg_cell_totals.* exclude (cell_key, n_trials, n_scored),
    greatest(coalesce(n_planned, 0), coalesce(n_trials, 0)) as n_planned,
    coalesce(n_scored, 0) as n_answered,
    greatest(coalesce(n_planned, 0), coalesce(n_trials, 0)) - coalesce(n_scored, 0)
        as n_not_evaluated,
    greatest(coalesce(n_planned, 0), coalesce(n_trials, 0)) - coalesce(n_done, 0) as n_pending
from (select distinct hash(cell_id) as cell_key from cells) as asked
left join stg_planned using (cell_key)
left join stg_cell_totals using (cell_key)
