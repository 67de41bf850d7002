-- Pico-dollars that all runs of one sweep, and of a judge over its replies, have spent or may have
-- spent. A known bill counts as it is; an unknown or doubtful one, or a call still out, counts with
-- all that was reserved for it; where there is neither a bill nor a hold, it is one of the unpriced. What was salvaged of unknown sweeps counts against each.
SELECT coalesce(sum(
    CASE
        WHEN a.cost_pusd IS NOT NULL AND NOT a.maybe_billed THEN a.cost_pusd
        ELSE coalesce(r.reserved_pusd, a.cost_pusd, 0)
    END
), 0)::HUGEINT AS committed_pusd,
count(*) FILTER (WHERE a.cost_pusd IS NULL AND r.reserved_pusd IS NULL) AS unpriced
FROM reservations AS r
SEMI JOIN (
    SELECT sweep_id FROM sweeps WHERE name IN ($name, $name || ' (judge)')
    UNION ALL
    SELECT 'salvaged' AS sweep_id
) AS s ON s.sweep_id = r.sweep_id
LEFT JOIN attempts AS a ON hash(a.attempt_id) = hash(r.attempt_id) -- as in last_attempts.sql
