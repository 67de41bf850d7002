-- grain: one row per cell: the trials that all sweeps of the file asked of it
-- Sweeps of one seed ask the same trials, so the longest counts; another seed asks other trials. What
-- does not count in metrics is not planned for them either (needlechain.rows = first100).
with per_seed as (
    select
        sweep_cells.cell_id,
        sweeps.seed,
        max(
            case
                when needlechain_rows = 'first100'
                    then least(sweep_cells.repeats, cells.official_repeats)
                else sweep_cells.repeats
            end
        ) as repeats
    from sweep_cells
    inner join sweeps using (sweep_id)
    inner join cells using (cell_id)
    cross join settings
    group by sweep_cells.cell_id, sweeps.seed
)

select
    cell_id,
    hash(cell_id) as cell_key,
    sum(repeats)::bigint as n_planned
from per_seed
group by cell_id
