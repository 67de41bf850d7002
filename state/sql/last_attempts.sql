-- One row per trial of the wanted cells that was begun: its cell, repeat, attempts so far, and
-- whether its last attempt ended it with an outcome that is not to be tried again; where that is an
-- error, which.
CREATE OR REPLACE TEMP TABLE last_attempts AS
WITH last AS (
    SELECT trial_id, max(n) AS attempts, arg_max(final, (n::HUGEINT << 40) + rowid) AS final, arg_max(outcome, (n::HUGEINT << 40) + rowid) AS outcome
    FROM attempts
    GROUP BY trial_id
)
SELECT
    t.trial_id,
    t.cell_id,
    t.repeat,
    last.attempts,
    split_part(last.outcome, ':', 1) AS outcome,
    last.final
        AND NOT list_contains($retry, last.outcome)
        AND NOT list_contains($retry, split_part(last.outcome, ':', 1)) AS done,
    done AND list_contains($errors, split_part(last.outcome, ':', 1)) AS failed
FROM trials AS t
SEMI JOIN wanted_cells AS w ON w.cell_id = t.cell_id
JOIN last ON last.trial_id = t.trial_id
WHERE t.seed >> 32 = $seed -- the upper half of a trial's seed is its sweep's
