"""Reads the rows of a published file: json, jsonl, parquet, a zip of these, or a folder."""

import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.official.json_rows import RawRow, read_document, read_lines
from tasks.official.layouts import is_table, read_table
from tasks.plain_files import refuse_special
from tasks.sample import TaskError

LINES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *LINES, ".parquet", ".zip")
_BATCH_ROWS = 16
"""Rows decoded at once; published rows are up to a megabyte."""
_PEEK_BYTES = 4096
_SHOWN_BYTES = 60
_LAYOUTS = "in an array, in an object of arrays, one a line, or in a layout of pandas"
_WRAPPED = re.compile(rb'\s*(\[|\{\s*"[^"]*"\s*:\s*(?:\{|\[\s*(?:[\[{\]]|\Z)))')
"""An array of rows, or an object that holds arrays of rows; anything else has one row a line."""


def read_rows(path: Path) -> Iterator[RawRow]:
    """All rows of a file or folder, in order. Raises TaskError if it cannot be read at all."""
    try:
        if path.is_dir():
            yield from _read_folder(path)
            return
        refuse_special(path)
        if path.suffix.lower() == ".zip":
            yield from _read_zip(path)
        elif path.suffix.lower() == ".parquet":
            yield from _read_parquet(path, path.name)
        elif path.suffix.lower() in SUFFIXES:
            with path.open("rb") as file:
                yield from _read_json(file, path.name)
        else:
            raise TaskError(f"{path}: not one of {', '.join(SUFFIXES)}")
    except (OSError, pa.ArrowException, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise TaskError(f"{path}: cannot be read: {error}") from error


def _read_folder(path: Path) -> Iterator[RawRow]:
    files = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in SUFFIXES)
    if not files:
        raise TaskError(f"{path}: no file in it is one of {', '.join(SUFFIXES)}")
    for file in files:
        yield from read_rows(file)


def _read_zip(path: Path) -> Iterator[RawRow]:
    with zipfile.ZipFile(path) as archive:
        members = sorted(info.filename for info in archive.infolist() if _is_data(info.filename))
        if not members:
            raise TaskError(f"{path}: no json, jsonl or parquet file in it")
        for member in members:
            try:
                yield from _read_member(archive, member)
            except (RuntimeError, NotImplementedError) as error:  # encrypted; unknown packing
                raise TaskError(f"{path}: {member}: cannot be read: {error}") from error


def _is_data(name: str) -> bool:
    file = Path(name)
    hidden = file.name.startswith(".") or "__MACOSX" in file.parts
    return file.suffix.lower() in {".json", *LINES, ".parquet"} and not hidden


def _read_member(archive: zipfile.ZipFile, member: str) -> Iterator[RawRow]:
    with archive.open(member) as packed:
        if not member.lower().endswith(".parquet"):
            yield from _read_json(packed, member)
            return
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "rows.parquet"  # parquet is read from its end
            with copy.open("wb") as file:
                shutil.copyfileobj(packed, file)
            yield from _read_parquet(copy, member)


def _read_json(file: IO[bytes], name: str) -> Iterator[RawRow]:
    start = file.read(_PEEK_BYTES)
    file.seek(0)
    if not name.lower().endswith(LINES) and is_table(start.removeprefix(b"\xef\xbb\xbf")):
        rows = read_table(file.read().removeprefix(b"\xef\xbb\xbf"), name)
        if rows:
            yield from rows
            return
        file.seek(0)
    lines = name.lower().endswith(LINES) or not _WRAPPED.match(start.removeprefix(b"\xef\xbb\xbf"))
    found = False
    for row in (read_lines if lines else read_document)(file, name):
        found = True
        yield row
    if not found and start.strip():
        shown = start[:_SHOWN_BYTES].decode("utf-8", "replace")
        raise TaskError(f"{name}: no rows in what begins {shown!r}; rows are {_LAYOUTS}")


def _read_parquet(path: Path, name: str) -> Iterator[RawRow]:
    number = 0
    for batch in _batches(path):
        for index in range(batch.num_rows):
            number += 1
            place = f"{name} row {number}"
            try:
                value = batch.slice(index, 1).to_pylist()[0]
            except UnicodeDecodeError as error:
                yield RawRow(place=place, problem=f"not UTF-8: {error}")
            else:
                yield RawRow(place=place, value=value)


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(batch_size=_BATCH_ROWS)  # pyright: ignore[reportUnknownMemberType]
