-- grain: one row per cell that a question is about, a judge's included, with its task's plain name
-- All cells under their own names here. Who splits by axes or narrows by a condition puts others in
-- this view's place (queries/split.py); what was paid is read from stg_all_cells, and is all of it.
select
    *,
    task as plain_task
from stg_all_cells
