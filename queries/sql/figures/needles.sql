-- grain: one row per model x task x size x needles x placement
-- shows: needles, placement
select
    provider, model, setup, simulated, task, size, size_unit, needles, placement,
    sum(accuracy * n_answered) / nullif(sum(n_answered), 0) as accuracy,
    sum(n_answered)::bigint as n_answered,
    sum(n_not_evaluated)::bigint as n_not_evaluated
from cell_accuracy
where needles is not null
group by all
order by task, model, provider, setup, simulated, placement, size, needles
