"""After a crash: what the journal holds and DuckDB does not, and calls that never came back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from state.database.load import Loader, last_loaded, sql
from state.database.old_cells import fill_facts
from state.journal.journal import JournalEntry, Segment, decode, segments
from state.stamps import utc_name, utc_us

_BATCH_ROWS = 20_000


@dataclass(slots=True, kw_only=True)
class _Tally:
    last_seq: int
    only_new: bool
    rows: int = 0
    damaged: list[bytes] = field(default_factory=list[bytes])


def recover(
    connection: duckdb.DuckDBPyConnection, database: Path, store_id: str, *, salvaged: bool = False
) -> tuple[int, list[str]]:
    """Load the journal, close calls that were cut off; the last append's number, and notices.

    A salvaged file has lost track of how far it got: the whole journal is read, and only rows
    that the file has not are taken.
    """
    tally = _Tally(last_seq=last_loaded(connection), only_new=salvaged)
    for segment in segments(database):
        if segment.is_unfinished:
            segment.path.unlink()
    notices = [_foreign(segment) for segment in segments(database) if segment.store_id != store_id]
    for batch in _batches(segments(database), tally):
        _load(connection, batch, tally)
    if tally.rows:
        notices.append(f"rows restored from the journal: {tally.rows}")
    if tally.damaged:
        notices.append(_keep_damaged(database, tally.damaged))
    fill_facts(connection)
    killed = _close_killed(connection)
    if killed:
        notices.append(f"calls that were cut off and may have been billed: {killed}")
    connection.execute("CHECKPOINT")
    for segment in segments(database):
        segment.path.unlink()
    return tally.last_seq, notices


def _batches(journal: list[Segment], tally: _Tally) -> Iterator[list[JournalEntry]]:
    batch: list[JournalEntry] = []
    rows = 0
    for entry in _new_entries(journal, tally):
        batch.append(entry)
        rows += entry.n_rows
        if rows >= _BATCH_ROWS:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def _new_entries(journal: list[Segment], tally: _Tally) -> Iterator[JournalEntry]:
    for segment in journal:
        for line in segment.lines():
            entry = decode(line)
            if entry is not None and entry.seq > tally.last_seq:
                tally.last_seq = entry.seq
                yield entry
            elif entry is None and line.endswith(b"\n"):  # unfinished ones were never acknowledged
                tally.damaged.append(line)


def _load(connection: duckdb.DuckDBPyConnection, batch: list[JournalEntry], tally: _Tally) -> None:
    """Load a batch, or, where it cannot be, each of its rows that can."""
    try:
        tally.rows += Loader(connection, None, only_new=tally.only_new).load(batch)
    except (pa.ArrowException, OverflowError, duckdb.DataError, duckdb.IntegrityError):
        if len(batch) == 1:
            if batch[0].n_rows == 1:
                tally.damaged.append(repr(batch[0]).encode() + b"\n")
                return
            batch = batch[0].split()
        middle = len(batch) // 2
        _load(connection, batch[:middle], tally)
        _load(connection, batch[middle:], tally)


def _close_killed(connection: duckdb.DuckDBPyConnection) -> int:
    return int(connection.execute(sql("killed"), {"now_us": utc_us()}).fetchall()[0][0])


def _keep_damaged(database: Path, lines: list[bytes]) -> str:
    kept = database.with_name(f"{database.name}.unreadable-{utc_name()}")
    kept.write_bytes(b"".join(lines))
    return f"journal lines that could not be read: {len(lines)}, kept in {kept.name}"


def _foreign(segment: Segment) -> str:
    kept = segment.path.with_name(f"{segment.path.name}.kept-{utc_name()}")
    segment.path.rename(kept)
    return f"a journal of another database is kept in {kept.name}"
