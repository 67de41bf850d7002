-- grain: one row per cell, a judge's included, with its axes as columns
-- setup tells apart what one model was asked in different ways. It is a hash of what differs, and of
-- nothing else: base URL, task version, and each decoding parameter, switch and file of the task that
-- has several values for a task, so that tasks asked in one way share it; '' where there is one way.
-- max_tokens differs only where one point was asked with several: tasks raise it with the length of
-- the answer. asked_as lists what setup is a hash of, with a blank value for what a cell leaves out and
-- others of its task say: tasks that do not know a key say nothing of it.
with one_row as (
    select distinct on (cell_id)
        *,
        json_extract_string(point, case when curve_axis <> '' then '$.' || curve_axis end)
            as curve_value
    from cells
    order by cell_id
),

asked as (
    select
        *,
        json_merge_patch(params, '{"max_tokens": null}')::varchar as uncapped,
        coalesce(params ->> '$.max_tokens', '') as cap,
        hash(base_url, task_version, uncapped, switches::varchar, inputs::varchar) as way
    from one_row
),

compared as (
    select
        *,
        min(way) over same_task <> max(way) over same_task
        or min(cap) over same_point <> max(cap) over same_point as differs,
        count(*) over same_task as cells_of_task
    from asked
    window
        same_task as (partition by simulated, provider, model, task),
        same_point as (partition by simulated, provider, model, task, point::varchar, way)
),

divided as (
    select
        *,
        bool_or(differs) over (partition by simulated, provider, model, family) as in_ways
    from compared
),

said as (
    select
        cell_id,
        simulated,
        provider,
        model,
        family,
        task,
        cells_of_task,
        unnest(
            list_concat(
                [
                    {'key': 'base_url', 'said': base_url, 'place': ''},
                    {'key': 'task_version', 'said': task_version::varchar, 'place': ''},
                    {'key': 'max_tokens', 'said': cap, 'place': way::varchar || point::varchar}
                ],
                list_transform(
                    json_keys(uncapped::json),
                    lambda name: {
                        'key': 'params.' || name,
                        'said': json_extract(uncapped::json, '$."' || name || '"')::varchar,
                        'place': ''
                    }
                ),
                list_transform(
                    json_keys(switches),
                    lambda name: {
                        'key': 'switches.' || name,
                        'said': json_extract(switches, '$."' || name || '"')::varchar,
                        'place': ''
                    }
                ),
                list_transform(
                    json_keys(inputs),
                    lambda name: {
                        'key': 'inputs.' || name,
                        'said': json_extract(inputs, '$."' || name || '"')::varchar,
                        'place': ''
                    }
                )
            ),
            recursive := true
        )
    from divided
    where in_ways
),

differing as (
    select distinct
        simulated,
        provider,
        model,
        family,
        key
    from (
        select
            simulated,
            provider,
            model,
            family,
            key
        from said
        group by simulated, provider, model, family, task, key, place
        having
            count(distinct said.said) > 1
            or (key <> 'max_tokens' and count(*) < any_value(cells_of_task))
    )
),

setups as (
    select
        cell_id,
        substr(md5(string_agg(key || '=' || said.said, '|' order by key)), 1, 6) as setup
    from said
    semi join differing using (simulated, provider, model, family, key)
    group by cell_id
),

known_keys as (
    select distinct
        simulated,
        provider,
        model,
        task,
        key
    from said
    semi join differing using (simulated, provider, model, family, key)
),

answered_keys as (
    select
        divided.cell_id,
        list(known_keys.key || '=' || coalesce(said.said, '') order by known_keys.key) as asked_as
    from divided
    inner join known_keys using (simulated, provider, model, task)
    left join said on divided.cell_id = said.cell_id and known_keys.key = said.key
    where divided.in_ways
    group by divided.cell_id
)

select
    cell_id,
    hash(cell_id) as cell_key,
    provider,
    base_url,
    model,
    coalesce(setup, '') as setup,
    coalesce(asked_as, []) as asked_as,
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
left join setups using (cell_id)
left join answered_keys using (cell_id)
