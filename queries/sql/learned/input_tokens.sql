-- grain: one row per model x base URL x task x kind of text: sums of a line of billed input over characters
-- Reads tables only, so that it runs on files of any age. The shortest prompts are left out: there
-- the envelope would be mistaken for a property of the tokenizer. Providers keep the beginnings of
-- prompts of 1,024 tokens and more: what these took from a cache stands beside what they took.
with one_cell as (
    select distinct on (cell_id) *
    from cells
    order by cell_id
),

billed as (
    select
        one_cell.model,
        one_cell.base_url,
        one_cell.simulated,
        one_cell.task,
        trials.kind,
        trials.prompt_chars::double as chars,
        coalesce(attempts.cache_read_tokens, 0)::double as cache_read,
        coalesce(attempts.cache_write_tokens, 0)::double as cache_write,
        (
            attempts.input_tokens
            + coalesce(attempts.cache_read_tokens, 0)
            + coalesce(attempts.cache_write_tokens, 0)
        )::double as tokens
    from attempts
    inner join trials using (trial_id)
    inner join one_cell using (cell_id)
    where attempts.input_tokens is not null and trials.prompt_chars >= 256
)

select
    model,
    base_url,
    simulated,
    task,
    kind,
    count(*)::bigint as n,
    sum(1 / chars) as inverse,
    sum(1 / (chars * chars)) as inverse_squared,
    sum(tokens / chars) as ratio,
    sum(tokens / (chars * chars)) as ratio_inverse,
    sum(chars) as length,
    sum(tokens) as tokens,
    min(chars) as shortest,
    max(chars) as longest,
    max(tokens / chars) as largest,
    coalesce(sum(tokens) filter (where tokens >= 1024), 0) as cacheable,
    coalesce(sum(cache_read) filter (where tokens >= 1024), 0) as cache_read,
    coalesce(sum(cache_write) filter (where tokens >= 1024), 0) as cache_write
from billed
where tokens > 0
group by model, base_url, simulated, task, kind
order by model, base_url, simulated, task, kind
