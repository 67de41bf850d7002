-- grain: one row per cell, a judge's included, with its axes as columns
-- setup tells apart what one model was asked in different ways (base URL, decoding, switches, task
-- version, own files); it is '' where a model and task have a single way. max_tokens is left out,
-- since tasks raise it with the length of the asked answer.
with one_row as (
    select distinct on (cell_id)
        *,
        json_extract_string(point, case when curve_axis <> '' then '$.' || curve_axis end)
            as curve_value
    from cells
    order by cell_id
),

fingerprinted as (
    select
        *,
        substr(
            md5(
                concat_ws(
                    '|',
                    base_url,
                    task_version,
                    json_merge_patch(params, '{"max_tokens": null}')::varchar,
                    switches::varchar,
                    inputs::varchar
                )
            ),
            1,
            6
        ) as fingerprint
    from one_row
),

compared as (
    select
        *,
        min(fingerprint) over same_model as first_fingerprint,
        max(fingerprint) over same_model as last_fingerprint
    from fingerprinted
    window same_model as (partition by simulated, provider, model, task)
)

select
    cell_id,
    hash(cell_id) as cell_key,
    provider,
    base_url,
    model,
    case when first_fingerprint = last_fingerprint then '' else fingerprint end as setup,
    task,
    family,
    answer,
    curve_axis,
    try_cast(curve_value as double) as curve_x,
    case when curve_x is null then coalesce(curve_value, '') else '' end as curve_part,
    chance,
    overall,
    overall_tasks,
    official_repeats,
    values_asked,
    task_version,
    size,
    size_unit,
    (point ->> '$.depth')::double as depth,
    (point ->> '$.needles')::bigint as needles,
    point ->> '$.placement' as placement,
    (point ->> '$.thread_length')::bigint as thread_length,
    point ->> '$.direction' as direction,
    (point ->> '$.threads')::bigint as threads,
    (point ->> '$.branching')::bigint as branching,
    point ->> '$.padding' as padding,
    (point ->> '$.cot')::boolean as cot,
    (point ->> '$.k')::bigint as k,
    point ->> '$.question' as question,
    point::varchar as point,
    params::varchar as params,
    switches::varchar as switches,
    inputs::varchar as inputs,
    context_window,
    simulated
from compared
