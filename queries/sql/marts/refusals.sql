-- grain: one row per model x task x size
-- n counts trials that came to an end and could be sent: not those over the context window or the
-- tier. refused is the provider's own refusal, text_refused a reply that is judged a refusal;
-- truncated replies are listed beside, since they are no refusals. rate is the share of the first
-- four kinds.
select
    provider,
    model,
    setup,
    task,
    size,
    size_unit,
    sum(n_done - n_not_sendable)::bigint as n,
    sum(n_refused)::bigint as refused,
    sum(n_blocked)::bigint as blocked,
    sum(n_empty)::bigint as empty,
    sum(n_text_refused)::bigint as text_refused,
    sum(n_truncated)::bigint as truncated,
    sum(n_truncated_reasoning)::bigint as truncated_reasoning,
    sum(n_not_sendable)::bigint as not_sendable,
    sum(n_refused + n_blocked + n_empty + n_text_refused)
    / nullif(sum(n_done - n_not_sendable), 0) as rate,
    simulated
from stg_cell_totals
inner join stg_cells using (cell_key)
group by all
