"""`--where SQL`: which cells of a plan a condition of the user's holds for."""

from typing import Any

import duckdb
import pyarrow as pa

from runner.errors import UsageError
from runner.plan.cell import Cell
from runner.plan.plan import Plan, restrict
from state.records import CellRow


def where(plan: Plan, condition: str) -> Plan:
    """The cells for which the condition is true; every axis is a column. Raises UsageError."""
    cells = list(plan.cells)
    axes = sorted({name for cell in cells for name in cell.point.axes})
    array: Any = pa.array
    columns: dict[str, Any] = {name: array(_column(cells, name)) for name in axes}
    rows = [cell.to_row() for cell in cells]
    for name in CellRow.__struct_fields__:
        if name not in columns:
            columns[name] = array([getattr(row, name) for row in rows])
    connection: Any = duckdb.connect(config={"autoinstall_known_extensions": False})
    try:
        connection.register("cells", pa.table(columns))
        # The condition is the user's own SQL about the user's own plan; nothing else is in reach.
        query = f"SELECT cell_id FROM cells WHERE {condition}"  # noqa: S608
        kept = connection.execute(query).fetchall()
    except duckdb.Error as error:
        names = ", ".join(columns)
        first = str(error).splitlines()[0]
        raise UsageError(f"--where {condition!r}: {first} (columns: {names})") from error
    finally:
        connection.close()
    if not kept:
        raise UsageError(f"--where {condition!r}: holds for no cell")
    return restrict(plan, frozenset(row[0] for row in kept))


def _column(cells: list[Cell], axis: str) -> list[Any]:
    """An axis over all cells; as text where tasks disagree about its type."""
    values = [cell.point.axes.get(axis) for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or len(kinds) == 1:
        return values
    return [None if value is None else str(value) for value in values]
