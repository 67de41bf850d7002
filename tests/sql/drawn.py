"""Many answers at once, from columns: what random tables and simulated worlds are made of."""

from collections.abc import Mapping
from typing import Any

import duckdb

FILL = (
    """
insert into sweeps
values ('s', 'first', make_timestamp(1), 0, 1, null, 'default', $switches, '{}', false, 8, '0')
""",
    """
insert into cells by name
select
    md5(concat_ws('/', model, task, variant)) as cell_id, 'any' as provider, '' as base_url, model,
    task, 1 as task_version, 1000 as size, 'tokens' as size_unit,
    json_object('cot', true, 'variant', variant) as point, '{}' as params, '{}' as switches,
    '{}' as inputs, 1000 as context_window, false as simulated, 'any' as family,
    'true_false' as answer, 'cot' as curve_axis, 1 as values_asked
from (select distinct model, task, variant from drawn)
""",
    """
insert into trials by name
select
    't' || place as trial_id, md5(concat_ws('/', model, task, variant)) as cell_id, repeat,
    repeat as seed, concat_ws('/', task, repeat, variant) as prompt_hash, 5000 as prompt_chars,
    'prose' as kind, '{}' as lengths, '{}' as target
from drawn
""",
    """
insert into attempts by name
select
    't' || place as attempt_id, 't' || place as trial_id, 1 as n, make_timestamp(1) as started_at,
    make_timestamp(2) as finished_at, 'answered' as outcome, 1 as cost_pusd,
    false as maybe_billed, true as final
from drawn
""",
    """
insert into scores by name
select
    't' || place as trial_id, 'any' as scorer, 1 as scorer_version, 'default' as profile, value,
    if(said, 'true', 'false') as label,
    json_object('early', early, 'covered', 1, 'n_key', null) as detail, '{}' as switches,
    make_timestamp(3) as scored_at, false as again
from drawn
""",
)


def fill(
    connection: duckdb.DuckDBPyConnection, columns: Mapping[str, Any], switches: str = "{}"
) -> duckdb.DuckDBPyConnection:
    """Write judged answers to true/false questions.

    Columns are arrays: model, task, variant (of an instance), repeat (also the seed), value, said
    (True or False) and early.
    """
    connection.register("given", dict(columns))
    connection.execute(
        "create temp table drawn as select row_number() over () as place, * from given"
    )
    for number, statement in enumerate(FILL):
        connection.execute(statement, {"switches": switches} if number == 0 else None)
    connection.execute("drop table drawn")
    connection.unregister("given")
    return connection
