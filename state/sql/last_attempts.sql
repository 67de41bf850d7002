-- One row per trial of the wanted cells that was begun: its cell, repeat, attempts so far, and
-- whether its last attempt ended it with an outcome that is not to be tried again; where that is an
-- error, which. Its name is only there where it is not done.
-- Most trials have one attempt: only the others are grouped. Trials are matched by 64 bits of hash in
-- place of the name, which takes a third of the memory: that two of ten million share one has a
-- chance of 1 in 370,000.
CREATE OR REPLACE TEMP TABLE last_attempts AS
WITH keyed AS NOT MATERIALIZED (
    SELECT hash(trial_id) AS trial_key, n, rowid AS place, final, outcome
    FROM attempts
),
retried AS (
    SELECT DISTINCT trial_key FROM keyed WHERE n <> 1
),
last AS (
    SELECT trial_key, n AS attempts, final, outcome
    FROM keyed
    ANTI JOIN retried USING (trial_key)
    UNION ALL
    SELECT
        trial_key,
        max(n) AS attempts,
        arg_max(final, (n::HUGEINT << 40) + place) AS final,
        arg_max(outcome, (n::HUGEINT << 40) + place) AS outcome
    FROM keyed
    SEMI JOIN retried USING (trial_key)
    GROUP BY trial_key
)
SELECT
    t.cell_id,
    t.repeat,
    last.attempts,
    split_part(last.outcome, ':', 1) AS outcome,
    last.final
        AND NOT list_contains($retry, last.outcome)
        AND NOT list_contains($retry, split_part(last.outcome, ':', 1)) AS done,
    done AND list_contains($errors, split_part(last.outcome, ':', 1)) AS failed,
    CASE WHEN NOT done THEN t.trial_id END AS trial_id
FROM trials AS t
SEMI JOIN wanted_cells AS w ON w.cell_id = t.cell_id
JOIN last ON last.trial_key = hash(t.trial_id)
WHERE t.seed >> 32 = $seed -- the upper half of a trial's seed is its sweep's
