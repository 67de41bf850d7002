-- check: sweeps whose money, held money included, is over their largest budget
with committed as (
    select
        sweeps.name,
        sum(coalesce(
            attempts.cost_pusd,
            case
                when attempts.attempt_id is null or attempts.maybe_billed
                    then reservations.reserved_pusd
            end
        )) as pusd
    from reservations
    inner join sweeps using (sweep_id)
    left join attempts using (attempt_id)
    group by sweeps.name
),

budgets as (
    select
        name,
        max(budget_pusd) as budget_pusd
    from sweeps
    group by name
    having bool_and(budget_pusd is not null)
)

select name
from committed
inner join budgets using (name)
where pusd > budget_pusd
