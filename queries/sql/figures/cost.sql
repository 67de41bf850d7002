-- grain: one row per model x task, in dollars; NULL where no price is known
select
    provider, model, setup, simulated, task,
    sum(cost_usd) as cost_usd,
    sum(n_answered)::bigint as n_answered,
    sum(accuracy * n_answered) / nullif(sum(n_answered), 0) as accuracy,
    sum(cost_usd) / nullif(sum(n_answered), 0) as cost_per_answer_usd
from cell_accuracy
group by all
order by task, model, provider, setup, simulated
