"""Turns a published file into a data file in one pass, counting what is wrong with its rows."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.official import flenqa_rows, needle_threading_rows, needlechain_rows
from tasks.official.datafile import DataFile, DataWriter
from tasks.official.entry import Parsed, RowError
from tasks.official.json_rows import RawRow
from tasks.official.reading import read_rows
from tasks.sample import TaskError

KINDS: Mapping[str, Callable[[Mapping[str, Any], str], Parsed]] = {
    "needle-threading": needle_threading_rows.parse,
    "flenqa": flenqa_rows.parse,
    "needlechain": needlechain_rows.parse,
}
SHOWN = 20
"""Rejected rows and disagreements that are kept word for word; all are counted."""


@dataclass(slots=True, kw_only=True)
class Problems:
    """Problems of one sort: all counted, the first ones kept."""

    count: int = 0
    first: list[str] = field(default_factory=list[str])

    def add(self, line: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append(line)


@dataclass(slots=True, kw_only=True)
class Imported:
    """What an import did."""

    read: int = 0
    samples: int = 0
    rejected: Problems = field(default_factory=Problems)
    disagreements: Problems = field(default_factory=Problems)


def import_rows(kind: str, source: Path, target: Path) -> Imported:
    """Read all rows of `source`, write those that are of the kind to `target`.

    Raises TaskError when the source cannot be read at all, or the target not be written. Without a
    single good row no file is written.
    """
    parse = KINDS[kind]
    done = Imported()
    check_target(target)
    try:
        with DataWriter(target) as writer:
            for parsed in _parsed(parse, read_rows(source), done):
                for entry in parsed.entries:
                    writer.add(entry)
                    done.samples += 1
            if done.samples:
                writer.finish()
    except (OSError, sqlite3.Error) as error:
        raise TaskError(f"{target}: cannot be written: {error}") from error
    return done


def check_target(target: Path) -> None:
    """Raises TaskError where writing would destroy something that is no data file."""
    if not target.parent.is_dir():
        raise TaskError(f"{target}: no folder {target.parent}")
    if target.exists():
        try:
            DataFile(target)
        except TaskError as error:
            raise TaskError(
                f"{target}: exists and is no data file; choose another --out"
            ) from error


def _parsed(
    parse: Callable[[Mapping[str, Any], str], Parsed], rows: Iterator[RawRow], done: Imported
) -> Iterator[Parsed]:
    for row in rows:
        done.read += 1
        parsed = _parse(parse, row)
        if isinstance(parsed, str):
            done.rejected.add(f"{row.place}: {parsed}")
            continue
        for doubt in parsed.disagreements:
            done.disagreements.add(f"{row.place}: {doubt}")
        yield parsed


def _parse(parse: Callable[[Mapping[str, Any], str], Parsed], row: RawRow) -> Parsed | str:
    """The parsed row, or in one line why it is rejected."""
    if row.value is None:
        return _one_line(row.problem)
    try:
        return parse(row.value, f"{row.split} {row.place}")
    except RowError as error:
        return _one_line(str(error))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)[:200]
