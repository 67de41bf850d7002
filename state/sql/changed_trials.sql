-- What gathered_trials lacks, or holds as it was.
CREATE OR REPLACE TEMP TABLE changed_trials AS
SELECT
    * EXCLUDE (is_changed),
    (SELECT coalesce(max(rowid) + 1, 0) FROM trials) AS trials_seen,
    (SELECT coalesce(max(rowid) + 1, 0) FROM attempts) AS attempts_seen,
    (SELECT coalesce(max(rowid) + 1, 0) FROM scores) AS scores_seen
FROM stg_gathered
WHERE is_changed
