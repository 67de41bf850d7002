-- One row per stored reply that nobody has judged: where it is in completions. Few, if any.
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT c.rowid AS position, c.trial_id, c.attempt_id
FROM completions AS c
ANTI JOIN scores AS s ON hash(s.trial_id) = hash(c.trial_id) -- as in last_attempts.sql
