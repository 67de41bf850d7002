-- grain: one row per pair of models x task, over the prompts that both answered
-- All models see the same prompts, so differences are paired: each different prompt once, by the mean
-- of its replies, whatever else it was asked for; difference is the mean of a - b. Its interval is
-- cluster-robust (CR1 over seeds, that share haystacks) with Student's t, and never narrower than Agresti
-- and Min's for pairs (one pair is added to either side), which has a width for any n. a_better and
-- b_better count the prompts that one model did better on, and p_mcnemar is the exact two-sided test of
-- the two counts (it takes prompts as independent).
with entrants as (
    select
        cell_key,
        dense_rank() over (order by simulated, provider, model, setup) as entrant,
        dense_rank() over (order by task) as task_id,
        simulated
    from stg_cells
),

answers as (
    select
        entrant,
        task_id,
        hash(prompt_key, task_id, simulated) as prompt,
        min(seed) as seed,
        avg(value) as value
    from stg_counted_trials
    inner join entrants using (cell_key)
    where value is not null
    group by entrant, task_id, simulated, prompt_key
),

per_cluster as (
    select
        a.entrant as entrant_a,
        b.entrant as entrant_b,
        a.task_id,
        a.seed,
        count(*) as n,
        sum(a.value) as total_a,
        sum(b.value) as total_b,
        sum((a.value - b.value) ** 2) as squares,
        count(*) filter (where a.value > b.value) as a_better,
        count(*) filter (where a.value < b.value) as b_better
    from answers as a
    inner join answers as b
        on a.prompt = b.prompt and a.entrant < b.entrant
    group by a.entrant, b.entrant, a.task_id, a.seed
),

per_pair as (
    select
        entrant_a,
        entrant_b,
        task_id,
        sum(n)::bigint as n_pairs,
        count(*) as clusters,
        sum(total_a) / sum(n) as accuracy_a,
        sum(total_b) / sum(n) as accuracy_b,
        sum(total_a - total_b) / sum(n) as difference,
        sum(squares) as squares,
        sum((total_a - total_b) ** 2) as totals_squared,
        sum((total_a - total_b) * n) as totals_by_n,
        sum(n * n) as n_squared,
        sum(a_better)::bigint as a_better,
        sum(b_better)::bigint as b_better
    from per_cluster
    group by entrant_a, entrant_b, task_id
),

spread as (
    select
        *,
        (
            totals_squared
            - 2 * difference * totals_by_n
            + difference * difference * n_squared
        ) / (n_pairs * n_pairs::double) * clusters / nullif(clusters - 1, 0) as variance,
        difference * n_pairs / (n_pairs + 2) as centre,
        (squares + 1) / (n_pairs + 2) as mean_square,
        z,
        interval_kind
    from per_pair
    cross join settings
),

intervals as (
    select
        spread.*,
        z * sqrt(greatest(mean_square - centre * centre, 0) / (n_pairs + 2)) as half,
        case
            when interval_kind = 'cluster' then coalesce(t * sqrt(greatest(variance, 0)), 0)
            else 0
        end as robust
    from spread
    left join stg_student_t on df = least(clusters - 1, 2000)
),

mcnemar_terms as (
    select
        entrant_a,
        entrant_b,
        task_id,
        a_better + b_better as discordant,
        unnest(range(least(a_better, b_better) + 1)) as fewer
    from per_pair
),

mcnemar as (
    select
        entrant_a,
        entrant_b,
        task_id,
        least(
            2 * sum(
                exp(
                    lgamma(discordant + 1.0)
                    - lgamma(fewer + 1.0)
                    - lgamma(discordant - fewer + 1.0)
                    - discordant * ln(2)
                )
            ),
            1
        ) as p_mcnemar
    from mcnemar_terms
    group by entrant_a, entrant_b, task_id
),

named as (
    select distinct
        dense_rank() over (order by simulated, provider, model, setup) as entrant,
        provider,
        model,
        setup,
        simulated
    from stg_cells
),

tasks as (
    select distinct
        dense_rank() over (order by task) as task_id,
        task
    from stg_cells
)

select
    a.provider as provider_a,
    a.model as model_a,
    a.setup as setup_a,
    b.provider as provider_b,
    b.model as model_b,
    b.setup as setup_b,
    tasks.task,
    n_pairs,
    clusters,
    accuracy_a,
    accuracy_b,
    difference,
    greatest(least(centre - half, difference - robust), -1) as ci_low,
    least(greatest(centre + half, difference + robust), 1) as ci_high,
    a_better,
    b_better,
    p_mcnemar,
    a.simulated
from intervals
inner join mcnemar using (entrant_a, entrant_b, task_id)
inner join named as a on intervals.entrant_a = a.entrant
inner join named as b on intervals.entrant_b = b.entrant
inner join tasks using (task_id)
