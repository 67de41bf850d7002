-- grain: one row per model x base URL x task x point: billed output and time of calls that returned
-- Reads tables only, so that it runs on files of any age.
with one_cell as (
    select distinct on (cell_id) *
    from cells
    order by cell_id
)

select
    one_cell.model,
    one_cell.base_url,
    one_cell.simulated,
    one_cell.task,
    one_cell.point::varchar as point,
    count(*)::bigint as n,
    sum(attempts.output_tokens + coalesce(attempts.reasoning_tokens, 0))::double as output_tokens,
    sum(
        attempts.input_tokens
        + coalesce(attempts.cache_read_tokens, 0)
        + coalesce(attempts.cache_write_tokens, 0)
    )::double as input_tokens,
    median(attempts.latency_s) as latency_s
from attempts
inner join trials using (trial_id)
inner join one_cell using (cell_id)
where attempts.output_tokens is not null and attempts.input_tokens is not null
group by all
order by all
