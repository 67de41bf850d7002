-- grain: one row per pair of models x task
select
    provider_a, model_a, setup_a, provider_b, model_b, setup_b, simulated, task,
    n_pairs, clusters, accuracy_a, accuracy_b, difference, ci_low, ci_high,
    a_better, b_better, p_mcnemar
from cmp_models
order by task, model_a, provider_a, setup_a, model_b, provider_b, setup_b, simulated
