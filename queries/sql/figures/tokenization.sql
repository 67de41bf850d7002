-- grain: one row per model x kind of text
select *
from tokenization
order by kind, model, provider, setup, simulated
