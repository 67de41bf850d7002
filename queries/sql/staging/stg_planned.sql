-- grain: one row per cell: the trials that all sweeps of the file asked of it
-- Sweeps of one seed ask the same trials, so the longest counts; another seed asks other trials.
with per_seed as (
    select
        sweep_cells.cell_id,
        sweeps.seed,
        max(sweep_cells.repeats) as repeats
    from sweep_cells
    inner join sweeps using (sweep_id)
    group by sweep_cells.cell_id, sweeps.seed
)

select
    cell_id,
    sum(repeats)::bigint as n_planned
from per_seed
group by cell_id
