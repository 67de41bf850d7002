-- grain: one row per model x kind of reasoning failure (early_answer, coverage), pooled over true/false tasks
-- Each different prompt counts once under flenqa.dedup (all variants at 250 tokens are one text).
-- The 2 x 2 table is [[failed & wrong, failed & right], [sound & wrong, sound & right]]. odds_ratio
-- is a*d / (b*c): infinite or NULL where scipy gives inf or nan; the Haldane one adds one half to
-- each count. Fisher's p is exact: one-sided for a greater ratio, and two-sided over all tables that
-- are no likelier than this one.
with failures as (
    select
        *,
        unnest(['early_answer', 'coverage']) as failure,
        unnest([early, covered < n_key]) as failed
    from stg_reasoned
    inner join stg_cells using (cell_key)
    cross join settings
    where first or not dedup
),

counted as (
    select
        simulated,
        provider,
        model,
        setup,
        failure,
        coalesce(sum(n) filter (where failed and not correct), 0)::bigint as failed_wrong,
        coalesce(sum(n) filter (where failed and correct), 0)::bigint as failed_right,
        coalesce(sum(n) filter (where not failed and not correct), 0)::bigint as sound_wrong,
        coalesce(sum(n) filter (where not failed and correct), 0)::bigint as sound_right
    from failures
    where failed is not null
    group by all
),

margins as (
    select
        *,
        failed_wrong + failed_right as n_failed,
        sound_wrong + sound_right as n_sound,
        failed_wrong + sound_wrong as n_wrong
    from counted
),

tables as (
    select
        *,
        unnest(range(greatest(0, n_wrong - n_sound), least(n_failed, n_wrong) + 1)) as cell
    from margins
),

log_weights as (
    select
        *,
        -lgamma(cell + 1.0)
        - lgamma(n_failed - cell + 1.0)
        - lgamma(n_wrong - cell + 1.0)
        - lgamma(n_sound - n_wrong + cell + 1.0) as log_weight
    from tables
),

weights as (
    select
        * exclude (log_weight),
        exp(log_weight - max(log_weight) over same_margins) as weight,
        exp(
            max(log_weight) filter (where cell = failed_wrong) over same_margins
            - max(log_weight) over same_margins
        ) as observed_weight
    from log_weights
    window same_margins as (partition by simulated, provider, model, setup, failure)
),

p_values as (
    select
        simulated,
        provider,
        model,
        setup,
        failure,
        least(sum(weight) filter (where cell >= failed_wrong) / sum(weight), 1) as p_greater,
        least(
            sum(weight) filter (where weight <= observed_weight * (1 + 1e-7)) / sum(weight), 1
        ) as p_two_sided
    from weights
    group by all
)

select
    provider,
    model,
    setup,
    failure,
    failed_wrong,
    failed_right,
    sound_wrong,
    sound_right,
    case
        when failed_right * sound_wrong > 0
            then failed_wrong * sound_right / (failed_right * sound_wrong)
        when failed_wrong * sound_right > 0 then 'infinity'::double
    end as odds_ratio,
    (failed_wrong + 0.5) * (sound_right + 0.5) / ((failed_right + 0.5) * (sound_wrong + 0.5))
        as odds_ratio_haldane,
    p_greater,
    p_two_sided,
    simulated
from counted
inner join p_values using (simulated, provider, model, setup, failure)
