-- grain: one row per model x kind of reasoning failure
select
    provider, model, setup, simulated,
    (select any_value(family) from stg_cells where answer = 'true_false') as benchmark, failure,
    failed_wrong, failed_right, sound_wrong, sound_right,
    odds_ratio, odds_ratio_haldane, p_greater, p_two_sided
from odds_ratios
order by failure, model, provider, setup, simulated
