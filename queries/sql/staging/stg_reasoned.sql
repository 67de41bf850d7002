-- grain: one row per true/false cell that asks for reasoning x early x covered: counts of judged replies
with asked_to_reason as (
    select cell_key
    from stg_cells
    where answer = 'true_false' and cot
),

judged as (
    select
        cell_key,
        stg_trials.value,
        json_extract_string(detail, ['$.early', '$.covered', '$.n_key']) as found
    from stg_trials
    semi join asked_to_reason using (cell_key)
    inner join scores on score_place = scores.rowid
    where stg_trials.value is not null
)

select
    cell_key,
    found[1]::boolean as early,
    found[2]::bigint as covered,
    found[3]::bigint as n_key,
    value >= 0.5 as correct,
    count(*) as n
from judged
group by all
