-- After a salvage: rows that refer to rows which did not survive. A call that will be made again must
-- not meet leftovers of the first one under its own id, and what was paid stays paid.
BEGIN;

-- Of a trial that did not survive, only the bill counts: its attempts get a name of their own.
UPDATE attempts SET attempt_id = attempt_id || '~', trial_id = trial_id || '~'
WHERE trial_id NOT IN (SELECT trial_id FROM trials);

UPDATE reservations SET attempt_id = attempt_id || '~', trial_id = trial_id || '~'
WHERE trial_id NOT IN (SELECT trial_id FROM trials);

-- A reply without its attempt belongs to a call that will be made again.
DELETE FROM completions
WHERE attempt_id NOT IN (SELECT attempt_id FROM attempts);

DELETE FROM scores
WHERE trial_id NOT IN (SELECT trial_id FROM completions);

-- An answer whose text is lost must be asked for again.
UPDATE attempts SET final = FALSE
WHERE
    split_part(outcome, ':', 1) IN ('answered', 'truncated')
    AND attempt_id NOT IN (SELECT attempt_id FROM completions);

-- Money whose sweep nobody knows any more counts against every budget.
INSERT INTO reservations BY NAME
SELECT
    a.attempt_id,
    a.trial_id,
    'salvaged' AS sweep_id,
    a.n,
    a.started_at,
    a.cost_pusd AS reserved_pusd,
    coalesce(a.input_tokens, 0) AS input_tokens_estimate
FROM attempts AS a
ANTI JOIN reservations AS r ON r.attempt_id = a.attempt_id
WHERE a.cost_pusd IS NOT NULL OR a.maybe_billed;

UPDATE reservations SET sweep_id = 'salvaged'
WHERE sweep_id NOT IN (SELECT sweep_id FROM sweeps);

COMMIT;
