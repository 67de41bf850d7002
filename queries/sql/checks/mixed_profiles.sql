-- check: tasks of a model whose shown scores were given under several profiles; `rescore` makes them one
select
    provider,
    model,
    task
from stg_trials
inner join stg_cells using (cell_key)
where value is not null
group by simulated, provider, model, setup, task
having count(distinct split_part(profile, '+', 1)) > 1
