-- One row per stored reply: where it is in completions.
CREATE OR REPLACE TEMP VIEW candidates AS
SELECT rowid AS position, trial_id, attempt_id FROM completions
