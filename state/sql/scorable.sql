-- One row per reply that may be scored: where it is in completions, and what it answers. The texts
-- are left where they are. The last line tells how far they go.
CREATE OR REPLACE TEMP TABLE scorable AS
WITH last AS (
    SELECT attempts.trial_id, arg_max(attempt_id, (n::HUGEINT << 40) + rowid) AS attempt_id, arg_max(outcome, (n::HUGEINT << 40) + rowid) AS outcome
    FROM attempts
    SEMI JOIN candidates USING (trial_id)
    GROUP BY attempts.trial_id
)
SELECT
    co.position,
    co.trial_id,
    c.task,
    t.target,
    split_part(last.outcome, ':', 1) = 'truncated' AS truncated
FROM candidates AS co
JOIN last ON last.trial_id = co.trial_id AND last.attempt_id = co.attempt_id
JOIN trials AS t ON t.trial_id = co.trial_id
JOIN cells AS c ON c.cell_id = t.cell_id
WHERE split_part(last.outcome, ':', 1) IN ('answered', 'truncated');

SELECT coalesce(max(position) + 1, 0) FROM scorable
