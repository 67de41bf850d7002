-- grain: one row per model x task x setup, where a model was asked in several ways
select distinct
    provider, model, setup, task, base_url, task_version,
    json_merge_patch(params, '{"max_tokens": null}')::varchar as params,
    switches, inputs, simulated
from stg_cells
where setup <> ''
order by model, provider, task, setup, task_version, base_url, params, switches, inputs, simulated
