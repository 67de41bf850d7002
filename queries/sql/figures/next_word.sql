-- grain: one row per model x size
select
    provider, model, setup, simulated,
    (select any_value(task) from stg_cells where answer = 'word') as task, size,
    next_word, reasoning, n_next_word, n_reasoning, n_next_word + n_reasoning as n, pearson_r, n_sizes,
    pearson_r_all
from next_word
order by model, provider, setup, simulated, size
