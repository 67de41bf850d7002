"""How a batch of records becomes Arrow columns; apart, since only a writer needs Arrow."""

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from state.records import Row
from state.tables import TABLES

_ARROW: Mapping[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}
_LARGEST = 2**63 - 1
STAMPS = frozenset({"started_at", "finished_at", "scored_at", "at"})
"""Fields that are microseconds since the epoch and TIMESTAMP columns, in UTC."""


def columns(kind: type[Row], rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """The rows of one table, as their values, as Arrow columns."""
    schema = SCHEMAS[kind]
    arrays: list[pa.Array[Any]] = [
        _array(values, type_)
        for values, type_ in zip(zip(*rows, strict=True), schema.types, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], type_: pa.DataType) -> "pa.Array[Any]":
    try:
        return pa.array(values, type=type_)
    except OverflowError:
        # A provider may count what it likes; a number that no column holds tells nothing.
        return pa.array([v if v is None or v <= _LARGEST else None for v in values], type=type_)


def _plain(hint: Any) -> type:
    if isinstance(hint, types.UnionType):
        return next(part for part in typing.get_args(hint) if part is not types.NoneType)
    return hint


def _type(name: str, hint: Any) -> pa.DataType:
    if name in STAMPS:
        return pa.timestamp("us")
    if name == "seed":
        return pa.uint64()  # any 64 bits
    return _ARROW[_plain(hint)]


def _schema(row: type[Row]) -> pa.Schema:
    hints = typing.get_type_hints(row)
    return pa.schema([(name, _type(name, hints[name])) for name in row.__struct_fields__])


SCHEMAS: Mapping[type[Row], pa.Schema] = {kind: _schema(kind) for kind in TABLES}
