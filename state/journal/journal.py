"""The journal: what makes a row durable before DuckDB has seen it.

A line is one group commit, so it is there whole or not at all. Lines are numbered, and DuckDB holds
the number of the last one it has, so each is loaded exactly once. Segments stay until a checkpoint
has put their rows into the main file: an unreadable WAL of DuckDB loses nothing.
"""

import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
from msgspec.structs import astuple

from state.records import Row
from state.side_files import open_own
from state.store import StoreError
from state.tables import BY_NAME, TABLES

SEGMENT_BYTES = 32 << 20
"""A segment is closed at this size, so that it can be removed once its rows are safe elsewhere."""
_SUFFIX = ".journal-"
_MARK = "runner_journal"
_FORMAT = 2
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE

Values = tuple[Any, ...]
"""A row's values in the order of its columns: what the journal and DuckDB take."""
Groups = Mapping[type[Row], Sequence[Values]]
"""Rows by table, in the order they came."""


class JournalEntry(NamedTuple):
    """One group commit."""

    seq: int
    groups: Groups

    @property
    def n_rows(self) -> int:
        """Rows of all tables."""
        return sum(map(len, self.groups.values()))

    def split(self) -> "list[JournalEntry]":
        """Its rows one by one, for where they cannot be taken together."""
        return [
            JournalEntry(self.seq, {k: [row]}) for k, rows in self.groups.items() for row in rows
        ]


def grouped(rows: Iterable[Row]) -> dict[type[Row], list[Values]]:
    """The values of rows by table."""
    groups = defaultdict[type[Row], list[Values]](list)
    for row in rows:
        groups[type(row)].append(astuple(row))
    return groups


def encode(seq: int, groups: Groups) -> bytes:
    """One line. Raises StoreError if a value is nothing that a column could hold."""
    named = {TABLES[kind].name: rows for kind, rows in groups.items()}
    try:
        return orjson.dumps((seq, named), option=_OPTIONS)
    except TypeError as error:
        raise StoreError(f"a row cannot be stored: {error}") from error


def storable(row: Row) -> Row:
    """The row with half surrogates replaced, which neither UTF-8 nor DuckDB can hold."""
    values: list[Any] = [
        v.encode(errors="replace").decode() if isinstance(v, str) else v for v in astuple(row)
    ]
    return type(row)(*values)


def decode(line: bytes) -> JournalEntry | None:
    """The commit of one line; None for a line that was cut or damaged."""
    try:
        seq, named = orjson.loads(line)
        tables = [(BY_NAME[name], rows) for name, rows in named.items()]
        return JournalEntry(
            int(seq), {t.row: [t.values(row) for row in rows] for t, rows in tables}
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One file of the journal."""

    path: Path
    first_seq: int

    @property
    def is_unfinished(self) -> bool:
        """Cut off before its first line was whole: nothing in it was ever acknowledged."""
        with _opened(self.path) as file:
            return not file.readline(4096).endswith(b"\n")

    @property
    def store_id(self) -> str | None:
        """Which database it belongs to; None if this is no journal."""
        with _opened(self.path) as file:
            header: Any = _loads(file.readline(4096))
        if not isinstance(header, dict) or header.get(_MARK) != _FORMAT:  # pyright: ignore[reportUnknownMemberType]
            return None
        return str(header.get("store"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    def lines(self) -> Iterator[bytes]:
        """All lines after the header, the last one perhaps unfinished."""
        with _opened(self.path) as file:
            file.readline()
            yield from file


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(open_own(path, os.O_RDONLY), "rb")


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return None


def segments(database: Path) -> list[Segment]:
    """The journal of this database, oldest first."""
    prefix = database.name + _SUFFIX
    found = [
        Segment(path=path, first_seq=int(path.name.removeprefix(prefix)))
        for path in database.parent.iterdir()
        if path.name.startswith(prefix) and path.name.removeprefix(prefix).isdigit()
    ]
    return sorted(found, key=lambda segment: segment.first_seq)


def sync_folder(folder: Path) -> None:
    """Make names that were created, renamed or removed in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Journal:
    """Appends lines to segments; written by one thread, trimmed by another."""

    def __init__(
        self, database: Path, store_id: str, *, segment_bytes: int = SEGMENT_BYTES
    ) -> None:
        self._database = database
        self._store_id = store_id
        self._segment_bytes = segment_bytes
        self._lock = threading.Lock()
        self._closed: list[tuple[Path, int, int]] = []
        self._handle: int | None = None
        self._path = database
        self._size = 0
        self._last_seq = 0

    @property
    def retained_bytes(self) -> int:
        """Bytes on disk."""
        with self._lock:
            return self._size + sum(size for _, _, size in self._closed)

    def write(self, seq: int, line: bytes) -> None:
        """Return when the line is on disk. Raises OSError with nothing of it left behind."""
        if self._handle is not None and self._size >= self._segment_bytes:
            self._rotate()
        if self._handle is None:
            self._begin(seq)
        self._append(line)
        self._last_seq = seq

    def trim(self, safe_seq: int) -> None:
        """Remove closed segments whose lines all have numbers up to `safe_seq`."""
        with self._lock:
            done = [segment for segment in self._closed if segment[1] <= safe_seq]
            self._closed = [segment for segment in self._closed if segment[1] > safe_seq]
        for path, _, _ in done:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file; `trim` may then remove all of it."""
        if self._handle is not None:
            self._rotate()

    def _begin(self, first_seq: int) -> None:
        self._path = self._database.with_name(f"{self._database.name}{_SUFFIX}{first_seq:012d}")
        self._handle = open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._size = 0
        self._append(orjson.dumps({_MARK: _FORMAT, "store": self._store_id}) + b"\n")
        sync_folder(self._path.parent)

    def _rotate(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        with self._lock:
            self._closed.append((self._path, self._last_seq, self._size))
            self._size = 0
        self._handle = None

    def _append(self, data: bytes) -> None:
        if self._handle is None:
            raise StoreError("the journal is closed")
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._handle, view) :]
            os.fdatasync(self._handle)
        except OSError:
            os.ftruncate(self._handle, self._size)
            os.lseek(self._handle, self._size, os.SEEK_SET)
            raise
        self._size += len(data)
