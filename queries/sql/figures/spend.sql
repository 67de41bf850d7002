-- grain: one row per model, in dollars
select *
from spend
order by provider, model, simulated
