"""Which table holds which record, and how a batch of records becomes columns."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from state.records import (
    AttemptRow,
    CellRow,
    CompletionRow,
    ModelRow,
    PendingRow,
    PromptRow,
    Row,
    ScoreRow,
    StartRow,
    SweepCellRow,
    SweepRow,
    TrialRow,
)

_ARROW: Mapping[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}
STAMPS = frozenset({"started_at", "finished_at", "scored_at", "at"})
"""Fields that are microseconds since the epoch and TIMESTAMP columns, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of facts and the record it holds, field for column."""

    name: str
    row: type[Row]
    schema: pa.Schema
    key: str | None = None
    """Column of which each value is kept once, although it may be appended again by a resume."""

    def columns(self, rows: Sequence[Row]) -> pa.Table:
        """The rows as Arrow columns."""
        arrays: list[pa.Array[Any]] = [
            pa.array(values, type=kind)
            for values, kind in zip(zip(*rows, strict=True), self.schema.types, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def record(self, values: Sequence[Any]) -> Row:
        """The record with these values; one written before a field existed gets None for it."""
        missing = len(self.schema) - len(values)
        return self.row(*values, *(None,) * missing)


def _plain(hint: Any) -> type:
    if isinstance(hint, types.UnionType):
        return next(part for part in typing.get_args(hint) if part is not types.NoneType)
    return hint


def _kind(name: str, hint: Any) -> pa.DataType:
    if name in STAMPS:
        return pa.timestamp("us")
    if name == "seed":
        return pa.uint64()  # any 64 bits
    return _ARROW[_plain(hint)]


def _table(table: str, row: type[Row], key: str | None = None) -> Table:
    hints = typing.get_type_hints(row)
    schema = pa.schema([(name, _kind(name, hints[name])) for name in row._fields])
    return Table(name=table, row=row, schema=schema, key=key)


TABLES: Mapping[type[Row], Table] = {
    table.row: table
    for table in (
        _table("sweeps", SweepRow),
        _table("cells", CellRow, key="cell_id"),
        _table("sweep_cells", SweepCellRow),
        _table("trials", TrialRow, key="trial_id"),
        _table("prompts", PromptRow, key="trial_id"),
        _table("reservations", StartRow),
        _table("attempts", AttemptRow),
        _table("completions", CompletionRow),
        _table("scores", ScoreRow),
        _table("pending", PendingRow),
        _table("models", ModelRow),
    )
}
BY_NAME: Mapping[str, Table] = {table.name: table for table in TABLES.values()}
