"""Which repeats of each cell a query names: a hundred million of them are held in megabytes."""

import array
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from pyroaring import BitMap, FrozenBitMap

_ROWS = 1 << 19
"""Rows are read so many at a time: a few MB, and sorting them costs less than reading them."""


def repeats_by_cell(asked: duckdb.DuckDBPyConnection) -> Mapping[str, FrozenBitMap]:
    """The sets of the rows (cell_id, repeat) that were just asked for; the rows stream."""
    sets: dict[str, BitMap] = {}
    for batch in asked.to_arrow_reader(_ROWS):
        for cell_id, repeats in _by_cell(batch):
            sets.setdefault(cell_id, BitMap()).update(array.array("I", repeats.tobytes()))
    return {cell_id: FrozenBitMap(repeats) for cell_id, repeats in sets.items()}


# Arrow's stubs leave open what a column holds.
def _by_cell(batch: Any) -> Iterator[tuple[str, npt.NDArray[np.uint32]]]:
    encoded = batch.column(0).dictionary_encode()
    codes: npt.NDArray[np.int32] = np.asarray(encoded.indices)
    repeats = batch.column(1).to_numpy().astype(np.uint32)[np.argsort(codes, kind="stable")]
    ends = np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)))
    yield from zip(encoded.dictionary.to_pylist(), np.split(repeats, ends[:-1]), strict=True)
