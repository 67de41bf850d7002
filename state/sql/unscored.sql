-- One row per stored answer that nobody has judged: where it is in scorable.
DELETE FROM scorable WHERE trial_id IN (SELECT trial_id FROM scores)
