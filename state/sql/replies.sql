-- One row per trial of a slice of completions whose last attempt gave text that may be scored.
WITH slice AS (
    SELECT rowid AS position, trial_id, attempt_id, text, reasoning_text
    FROM completions
    WHERE rowid >= $first AND rowid < $end
),
tried AS (
    SELECT a.trial_id, a.attempt_id, a.n, split_part(a.outcome, ':', 1) AS outcome
    FROM attempts AS a
    SEMI JOIN slice AS s ON s.trial_id = a.trial_id
),
last AS (
    SELECT trial_id, arg_max(attempt_id, n) AS attempt_id, arg_max(outcome, n) AS outcome
    FROM tried
    GROUP BY trial_id
)
SELECT
    s.trial_id,
    c.task,
    t.target::VARCHAR AS target,
    s.text,
    s.reasoning_text,
    last.outcome = 'truncated' AS truncated
FROM slice AS s
JOIN last ON last.trial_id = s.trial_id AND last.attempt_id = s.attempt_id
JOIN trials AS t ON t.trial_id = s.trial_id
JOIN cells AS c ON c.cell_id = t.cell_id
WHERE last.outcome IN ('answered', 'truncated')
ORDER BY s.position
