-- grain: one row per model of a provider, as it was known at the newest sweep
-- Prices are pico-dollars per token. Tiers stand highest first. Sweeps may name a model with its provider in front or without.
with newest as (
    select
        models.model as name,
        max_by(tokenizer, models.rowid) as tokenizer,
        max_by(price_source, models.rowid) as price_source,
        arg_max_null(price, models.rowid) as price
    from models
    inner join sweeps using (sweep_id)
    group by models.model
),

swept as (
    select distinct
        provider,
        model
    from cells
)

select
    provider,
    model,
    tokenizer,
    price_source,
    (price ->> '$.input')::double as input_price,
    (price ->> '$.output')::double as output_price,
    (price ->> '$.cache_read')::double as cache_read_price,
    (price ->> '$.cache_write')::double as cache_write_price,
    list_reverse_sort(
        from_json(
            price -> '$.tiers',
            '[{"above": "DOUBLE", "input": "DOUBLE", "output": "DOUBLE", "cache_read": "DOUBLE", "cache_write": "DOUBLE"}]'
        )
    ) as tiers
from swept
inner join newest on name in (model, provider || '/' || model)
