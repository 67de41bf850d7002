-- grain: one row per sweep: its newest start
select
    name,
    max_by(sweep_id, rowid) as sweep_id,
    max_by(seed, rowid) as seed
from sweeps
group by name
