-- grain: one row per trial that counts in metrics
-- needlechain.rows = first100 leaves those repeats out that the benchmark's own code does not read.
with cut_off as (
    select
        cell_key,
        official_repeats
    from stg_cells
    cross join settings
    where official_repeats is not null and needlechain_rows = 'first100'
)

select stg_trials.*
from stg_trials
left join cut_off using (cell_key)
where official_repeats is null or repeat < official_repeats
