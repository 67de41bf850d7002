"""Writes relations as Parquet, a few rows at a time: as many as fit into little memory."""

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import duckdb
import pyarrow as pa
from pyarrow import parquet

from state.database.memory import LIGHT, TEXTS, VECTOR_ROWS, Stride
from state.sharing.reading import Reader

_ROWS_AT_ONCE = 100_000
_BYTES_AT_ONCE = 32 << 20


def write(relation: duckdb.DuckDBPyRelation, to: BinaryIO, reader: Reader) -> int:
    """Write all rows of a query; how many they were."""
    short = reader.heaviest is not None and reader.heaviest <= LIGHT
    at_once = _ROWS_AT_ONCE if short else VECTOR_ROWS
    return _write(iter((relation.to_arrow_reader(at_once),)), to)


def write_relation(reader: Reader, name: str, to: BinaryIO) -> int:
    """Write a table or view; one with long texts in parts, since DuckDB holds those of a part."""
    if name in TEXTS and (reader.heaviest or 0) > LIGHT:
        return _write(_parts(reader, name), to)
    return write(reader.connection.sql(f'FROM "{name}"'), to, reader)


def _parts(reader: Reader, name: str) -> Iterator[pa.RecordBatchReader]:
    found = reader.connection.execute(f'SELECT coalesce(max(rowid), 0) + 1 FROM "{name}"')
    end = int(found.fetchall()[0][0])
    first, stride = 0, Stride(_BYTES_AT_ONCE, _ROWS_AT_ONCE)
    while first < end:
        query = f'FROM "{name}" WHERE rowid >= {first} AND rowid < {first + stride.rows}'
        part = reader.connection.sql(query).to_arrow_table()
        first += stride.rows
        stride.seen(part.num_rows, part.nbytes)
        yield part.to_reader()


def _write(parts: Iterator[pa.RecordBatchReader], to: BinaryIO) -> int:
    first = next(parts)
    rows = 0
    with parquet.ParquetWriter(to, first.schema, compression="zstd") as writer:
        for batch in chain.from_iterable(chain((first,), parts)):
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows
