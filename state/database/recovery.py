"""After a crash: what the journal holds and DuckDB does not, and calls that never came back.

Each step may be cut off and is then done again: rows come with the number of the line that they
were in, a line that a table cannot hold whole is kept aside before the rest of it is loaded, and
the journal goes last.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from state.database.load import UNFIT, Loader, last_loaded, sql
from state.database.memory import RESUME_BYTES, Texts
from state.database.old_cells import fill_facts
from state.journal.journal import JournalEntry, Segment, decode, segments
from state.side_files import free_name, open_own
from state.stamps import utc_us

_BATCH_ROWS = 20_000
_BATCH_BYTES = 16 << 20


@dataclass(slots=True, kw_only=True)
class Replayed:
    """How far a journal has been loaded."""

    last_seq: int
    rows: int = 0
    damaged: int = 0
    kept: Path | None = None
    """Where the lines are that could not be."""

    def notices(self) -> Iterator[str]:
        """What the user should know of it."""
        if self.rows:
            yield f"rows restored from the journal: {self.rows}"
        if self.kept is not None:
            yield (
                f"journal lines that could not be read: {self.damaged}, kept in {self.kept.name}"
            )


def recover(
    connection: duckdb.DuckDBPyConnection, database: Path, store_id: str, texts: Texts
) -> tuple[int, list[str]]:
    """Load the journal, close calls that were cut off; the last append's number, and notices."""
    notices = set_foreign_aside(database, store_id)
    tally = load_journal(connection, database, texts)
    notices += tally.notices()
    fill_facts(connection)
    with texts.roomy(RESUME_BYTES):
        killed = _close_killed(connection)
    if killed:
        notices.append(f"calls that were cut off and may have been billed: {killed}")
    connection.execute("CHECKPOINT")
    for segment in segments(database):
        segment.path.unlink()
    return tally.last_seq, notices


def set_foreign_aside(database: Path, store_id: str) -> list[str]:
    """Leave no segment that is another database's, or was only begun; what was kept, and where."""
    for segment in segments(database):
        if segment.is_unfinished:
            segment.path.unlink()
    return [_foreign(segment) for segment in segments(database) if segment.store_id != store_id]


def load_journal(
    connection: duckdb.DuckDBPyConnection, database: Path, texts: Texts, *, salvaged: bool = False
) -> Replayed:
    """Load what is in the journal of a database and not yet in it.

    A salvaged file has lost track of how far it got: the whole journal is read, and only rows
    that the file has not are taken.
    """
    tally = Replayed(last_seq=0 if salvaged else last_loaded(connection))
    loader = Loader(connection, None, texts, only_new=salvaged)
    for batch in _batches(database, tally):
        _load(loader, batch, tally, database)
    return tally


def _batches(database: Path, tally: Replayed) -> Iterator[list[JournalEntry]]:
    batch: list[JournalEntry] = []
    rows = size = 0
    for entry, n_bytes in _new_entries(database, tally):
        batch.append(entry)
        rows += entry.n_rows
        size += n_bytes
        if rows >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield batch
            batch, rows, size = [], 0, 0
    if batch:
        yield batch


def _new_entries(database: Path, tally: Replayed) -> Iterator[tuple[JournalEntry, int]]:
    for segment in segments(database):
        for line in segment.lines():
            entry = decode(line)
            if entry is not None and entry.seq > tally.last_seq:
                tally.last_seq = entry.seq
                yield entry, len(line)
            elif entry is None and line.endswith(b"\n"):  # unfinished ones were never acknowledged
                _keep(database, tally, line)


def _load(loader: Loader, batch: list[JournalEntry], tally: Replayed, database: Path) -> None:
    """Load a batch, or, where it cannot be, each line of it, or of a line each row that can."""
    try:
        tally.rows += loader.load(batch)
    except UNFIT:
        if len(batch) == 1:
            _load_part(loader, batch[0], tally, database)
            return
        middle = len(batch) // 2
        _load(loader, batch[:middle], tally, database)
        _load(loader, batch[middle:], tally, database)


def _load_part(loader: Loader, entry: JournalEntry, tally: Replayed, database: Path) -> None:
    """The rows of a line that can be loaded, in one transaction under its number."""
    fit = [row for row in entry.split() if loader.fits(row)]
    for row in entry.split():
        if row not in fit:
            _keep(database, tally, repr(row).encode() + b"\n")
    # Also where none is left: the number says that this line was dealt with.
    tally.rows += loader.load(fit or [JournalEntry(entry.seq, {})])


def _close_killed(connection: duckdb.DuckDBPyConnection) -> int:
    return int(connection.execute(sql("killed"), {"now_us": utc_us()}).fetchall()[0][0])


def _keep(database: Path, tally: Replayed, line: bytes) -> None:
    """Put a line on disk before anything is loaded that says that it was dealt with."""
    if tally.kept is None:
        tally.kept = free_name(database, "unreadable")
    tally.damaged += 1
    handle = open_own(tally.kept, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with os.fdopen(handle, "wb") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _foreign(segment: Segment) -> str:
    kept = free_name(segment.path, "kept")
    segment.path.rename(kept)
    return f"a journal of another database is kept in {kept.name}"
