"""Writes a relation as Parquet, a few rows at a time: as many as fit into little memory."""

from pathlib import Path
from typing import BinaryIO

import duckdb
from pyarrow import parquet

from state.database.memory import VECTOR_ROWS

_ROWS_AT_ONCE = 100_000
_FEWEST_AT_ONCE = 512
_BYTES_AT_ONCE = 32 << 20


def write(relation: duckdb.DuckDBPyRelation, to: Path | BinaryIO, heaviest: int | None) -> int:
    """Write all rows; how many they were.

    `heaviest` is what 2,048 rows hold of texts; where nobody knows, they may hold much.
    """
    fits = 0 if heaviest is None else _BYTES_AT_ONCE * VECTOR_ROWS // max(1, heaviest)
    at_once = max(_FEWEST_AT_ONCE, min(_ROWS_AT_ONCE, fits))
    batches = relation.to_arrow_reader(max(VECTOR_ROWS, at_once))
    rows = 0
    with parquet.ParquetWriter(to, batches.schema, compression="zstd") as writer:
        for batch in batches:
            for first in range(0, batch.num_rows, at_once):
                writer.write_batch(batch.slice(first, at_once))
            rows += batch.num_rows
    return rows
