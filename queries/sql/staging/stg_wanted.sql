-- grain: one row per cell and sweep seed that the newest start of a sweep plans, a judge's included
select
    sweep_cells.cell_id,
    hash(sweep_cells.cell_id) as cell_key,
    stg_newest.seed as sweep_seed,
    max(sweep_cells.repeats) as repeats
from sweep_cells
inner join stg_newest using (sweep_id)
group by sweep_cells.cell_id, stg_newest.seed
