-- grain: one row per cell of a benchmark, with its axes as columns
-- A judge's calls are trials too, but they say nothing about a model's context: only spend, outcomes
-- and attempt_outcomes count them (stg_asked_cells).
select *
from stg_asked_cells
where answer <> 'judgement'
