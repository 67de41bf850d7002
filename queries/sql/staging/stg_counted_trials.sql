-- grain: one row per trial that counts in metrics
-- needlechain.rows = first100 leaves later repeats out, as the benchmark's code does.
with first_hundred_only as (
    select cell_key
    from stg_cells
    cross join settings
    where family = 'needlechain' and needlechain_rows = 'first100'
)

select *
from stg_trials
where repeat < 100 or cell_key not in (select cell_key from first_hundred_only)
