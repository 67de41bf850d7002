-- One attempt for each start that has none: its process ended before the reply was stored.
INSERT INTO attempts BY NAME
SELECT
    r.attempt_id,
    r.trial_id,
    r.n,
    r.started_at,
    make_timestamp($now_us) AS finished_at,
    'cancelled:killed' AS outcome,
    'the process ended before a reply was stored' AS error,
    TRUE AS maybe_billed,
    FALSE AS final
FROM reservations AS r
ANTI JOIN attempts AS a ON hash(a.attempt_id) = hash(r.attempt_id) -- as in last_attempts.sql
