-- grain: one row per true/false cell that asks for reasoning x early x covered x first: counts of judged replies
-- first holds for one reply of each different prompt. A reply that was cut off before its verdict did
-- not fail at reasoning, and is left out.
with asked_to_reason as (
    select
        cell_key,
        simulated,
        provider,
        model,
        setup
    from stg_cells
    where answer = 'true_false' and cot
),

judged as (
    select
        cell_key,
        stg_trials.value,
        row_number() over (
            partition by simulated, provider, model, setup, prompt_key order by seed, trial_key
        ) = 1 as first,
        json_extract_string(detail, ['$.early', '$.covered', '$.n_key']) as found
    from stg_trials
    inner join asked_to_reason using (cell_key)
    inner join scores on score_place = scores.rowid
    where
        stg_trials.value is not null
        and not (outcome_kind = 'truncated' and stg_trials.label in ('refused', 'cut_off'))
)

select
    cell_key,
    found[1]::boolean as early,
    found[2]::bigint as covered,
    found[3]::bigint as n_key,
    value >= 0.5 as correct,
    first,
    count(*) as n
from judged
group by all
