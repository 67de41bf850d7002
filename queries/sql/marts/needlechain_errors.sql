-- grain: one row per model x task x k x question: the kinds of wrong replies
-- Each wrong reply has one class, in this precedence: the asked form was not kept, a given name is
-- missing from the reply, everything else is a calculation error. Shares are of all answers.
with per_cell as (
    select
        cell_key,
        count(*) filter (where label = 'correct') as n_correct,
        count(*) filter (where label = 'instruction_not_followed') as instruction_not_followed,
        count(*) filter (where label = 'needle_omission') as needle_omission,
        count(*) filter (where label = 'calculation_error') as calculation_error,
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
    sum(n_answered)::bigint as n,
    sum(n_answered - coalesce(n_correct, 0))::bigint as n_wrong,
    coalesce(sum(instruction_not_followed), 0)::bigint as instruction_not_followed,
    coalesce(sum(needle_omission), 0)::bigint as needle_omission,
    coalesce(sum(calculation_error), 0)::bigint as calculation_error,
    coalesce(sum(instruction_not_followed), 0) / nullif(sum(n_answered), 0) as p_instruction_not_followed,
    coalesce(sum(needle_omission), 0) / nullif(sum(n_answered), 0) as p_needle_omission,
    coalesce(sum(calculation_error), 0) / nullif(sum(n_answered), 0) as p_calculation_error,
    sum(n_not_evaluated)::bigint as n_not_evaluated,
    sum(mean_output_tokens * n_output_tokens) / nullif(sum(n_output_tokens), 0)
        as mean_output_tokens,
    sum(mean_reasoning_tokens * n_reasoning_tokens) / nullif(sum(n_reasoning_tokens), 0)
        as mean_reasoning_tokens,
    simulated
from stg_cells
inner join stg_counts using (cell_key)
left join per_cell using (cell_key)
where answer = 'amount'
group by all
