-- grain: one row per model x task x k x question: the kinds of wrong replies
-- Each wrong reply has one class, in this precedence: the asked form was not kept, a given name is
-- missing from the reply, everything else is a calculation error. Shares are of all answers.
with per_cell as (
    select
        cell_key,
        count(label) as n,
        count(*) filter (where label = 'correct') as n_correct,
        count(*) filter (where label = 'instruction_not_followed') as instruction_not_followed,
        count(*) filter (where label = 'needle_omission') as needle_omission,
        count(*) filter (where label = 'calculation_error') as calculation_error,
        count(*) filter (where not answered) as n_not_evaluated,
        avg(output_tokens) as mean_output_tokens,
        avg(reasoning_tokens) as mean_reasoning_tokens,
        count(output_tokens) as n_output_tokens,
        count(reasoning_tokens) as n_reasoning_tokens
    from stg_counted_trials
    where outcome <> 'pending'
    group by cell_key
)

select
    provider,
    model,
    setup,
    task,
    k,
    question,
    sum(n)::bigint as n,
    sum(n - n_correct)::bigint as n_wrong,
    sum(instruction_not_followed)::bigint as instruction_not_followed,
    sum(needle_omission)::bigint as needle_omission,
    sum(calculation_error)::bigint as calculation_error,
    sum(instruction_not_followed) / nullif(sum(n), 0) as p_instruction_not_followed,
    sum(needle_omission) / nullif(sum(n), 0) as p_needle_omission,
    sum(calculation_error) / nullif(sum(n), 0) as p_calculation_error,
    sum(n_not_evaluated)::bigint as n_not_evaluated,
    sum(mean_output_tokens * n_output_tokens) / nullif(sum(n_output_tokens), 0)
        as mean_output_tokens,
    sum(mean_reasoning_tokens * n_reasoning_tokens) / nullif(sum(n_reasoning_tokens), 0)
        as mean_reasoning_tokens,
    simulated
from per_cell
inner join stg_cells using (cell_key)
where answer = 'amount'
group by all
