"""The store that users have: a journal for durability, DuckDB behind it for everything else."""

import asyncio
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa
from msgspec.structs import astuple

from state.database import opening, spill
from state.database.columns import columns
from state.database.damage import not_opened
from state.database.gather import gather_at_rest
from state.database.load import KnownTrials, Loader, sql
from state.database.memory import RESUME_BYTES, VECTOR_ROWS, Stride
from state.database.opening import InstallViews
from state.database.repair import Opened, open_or_repair
from state.database.repeats import repeats_by_cell
from state.database.writer import DuckWriter
from state.journal.backlog import Backlog
from state.journal.commit import GroupCommit
from state.journal.journal import Journal
from state.records import ERRORS, Row, ScoreRow
from state.sharing.lock import WriterLock
from state.store import LateRows, Progress, Stored, StoreError
from state.stores.displaced import Watched

_SLICE_ROWS = 16 * VECTOR_ROWS
_SLICE_BYTES = 32 << 20
"""Replies are read in slices, so that no transaction stays open for longer than one takes, and no
more texts are held than these."""
_SCORABLE = """
SELECT position, trial_id, task, target::VARCHAR, truncated
FROM scorable
WHERE position >= $first AND position < $end
"""
_TEXTS = """
SELECT rowid, text, reasoning_text FROM completions WHERE rowid >= $first AND rowid < $end
"""


class DuckStore:
    """One writer of one database file."""

    def __init__(self, path: Path, lock: WriterLock, opened: Opened) -> None:
        connection, last_seq = opened.connection, opened.last_seq
        self.path = path
        self.notices = opened.notices
        """What had to be repaired on opening, one line each."""
        self._lock = lock
        self._texts = opened.texts
        self._connection = connection
        self._journal = Journal(path, opening.store_id(connection))
        self._backlog = Backlog(last_seq)
        self._commit = GroupCommit(path, self._journal, self._backlog, last_seq=last_seq)
        writing = connection.cursor()
        self._writer = DuckWriter(
            path,
            writing,
            self._backlog,
            self._journal,
            loader=Loader(writing, KnownTrials(connection), opened.texts),
            on_failure=self._commit.refuse,
        )
        self._watched = Watched(path)
        self._closed = False

    @property
    def failure(self) -> StoreError | None:
        """Why nothing new may be begun: what is behind the journal failed, or the file is gone."""
        displaced = self._watched.displacement()
        if displaced is not None:
            self._commit.refuse(displaced)
        return self._commit.refusal

    @classmethod
    def open(cls, path: Path, *, install_views: InstallViews, create: bool) -> Self:
        """Become the writer of a file, making it first if need be.

        What could make it may repair it too, and looks at every value for damage.
        Raises StoreError with one clear line when the file is not ours or cannot be written.
        """
        _check_place(path, create=create)
        lock = WriterLock.take(path)
        try:
            store = cls(path, lock, open_or_repair(path, install_views, thorough=create))
        except BaseException as error:
            spill.remove_writers(path)
            lock.release()
            if isinstance(error, OSError):
                raise StoreError(f"{path.name}: cannot be opened: {error.strerror}") from error
            if isinstance(error, duckdb.Error):
                raise not_opened(path, error) from error
            raise
        store.start()
        return store

    def start(self) -> None:
        """Begin to take rows."""
        self._commit.start()
        self._writer.start()

    async def append(self, *rows: Row) -> None:
        """Return when the rows, and all that were taken before them, are durable."""
        await self._commit.append(rows)

    def enqueue(self, *rows: Row, late: LateRows | None = None) -> None:
        """Take rows that nobody waits for: they are durable before any that are taken later."""
        self._commit.enqueue(rows, late)

    def flush(self) -> None:
        """Wait until every durable row can be seen by a query. Raises StoreError if that fails."""
        if not self._backlog.wait_loaded(self._commit.last_seq):
            raise StoreError(f"{self.path.name}: {self._writer.failure}")

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection for reading in this process; close it after use."""
        self.flush()
        return self._connection.cursor()

    def progress(self, cell_ids: Iterable[str], retry: frozenset[str], *, seed: int) -> Progress:
        """What is done under a sweep's seed; outcomes in `retry` count as not done."""
        with self._asking() as cursor, self._texts.roomy(RESUME_BYTES):
            register: Any = cursor
            register.register(
                "wanted_cells", pa.table({"cell_id": pa.array(list(cell_ids), pa.string())})
            )
            wanted = {"retry": sorted(retry), "seed": seed, "errors": sorted(ERRORS)}
            cursor.execute(sql("last_attempts"), wanted)
            done = repeats_by_cell(
                cursor.execute("SELECT cell_id, repeat FROM last_attempts WHERE done")
            )
            begun = cursor.execute(
                "SELECT trial_id, attempts FROM last_attempts WHERE NOT done"
            ).fetchall()
            failed = cursor.execute(
                "SELECT cell_id, map(list(repeat), list(outcome)) FROM last_attempts "
                "WHERE failed GROUP BY cell_id"
            ).fetchall()
            cursor.execute("DROP TABLE last_attempts")
        return Progress(
            done=done,
            attempts=dict(begun),
            errors=dict(failed),
        )

    def committed_pusd(self, sweep_name: str) -> int:
        """Money gone or possibly gone in all runs of this sweep: costs, and holds never settled."""
        return self._committed(sweep_name)[0]

    def unpriced_calls(self, sweep_name: str) -> int:
        """The number of calls in these runs that nobody knows the cost of, and nothing was held."""
        return self._committed(sweep_name)[1]

    def _committed(self, sweep_name: str) -> tuple[int, int]:
        with self._asking() as cursor, self._texts.roomy(RESUME_BYTES):
            ((pusd, unpriced),) = cursor.execute(sql("committed"), {"name": sweep_name}).fetchall()
        return int(pusd), int(unpriced)

    def replies(self, *, unscored: bool = False) -> Iterator[Stored]:
        """All stored replies that may be scored, or have not been; in a stable order, streamed."""
        with self._asking() as cursor:
            with self._texts.roomy(RESUME_BYTES):
                cursor.execute(sql("unscored" if unscored else "candidates"))
                end = cursor.execute(sql("scorable")).fetchall()[0][0]
            first, stride = 0, Stride(_SLICE_BYTES, _SLICE_ROWS)
            while first < end:
                bounds = {"first": first, "end": first + stride.rows}
                first, n_bytes = bounds["end"], 0
                for stored in _slice(cursor, bounds):
                    n_bytes += len(stored.text) + len(stored.reasoning_text or "")
                    yield stored
                stride.seen(stride.rows, n_bytes)
            cursor.execute("DROP TABLE scorable")

    @contextmanager
    def _asking(self) -> Generator[duckdb.DuckDBPyConnection]:
        with self.cursor() as cursor:
            try:
                yield cursor
            except duckdb.Error as error:
                reason = str(error).partition("\n")[0]
                raise StoreError(f"{self.path.name}: cannot be read: {reason}") from error

    async def aclose(self) -> None:
        """Flush, checkpoint and let go of the file."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Do what `aclose` does, and block until it is done."""
        if self._closed:
            return
        self._closed = True
        self._commit.stop()
        saved = self._saved_beside()
        self._writer.stop()
        if not saved:
            self._leave_gathered()
        self._connection.close()
        spill.remove_writers(self.path)
        self._lock.release()

    async def append_scores(self, batches: Iterable[Sequence[ScoreRow]]) -> int:
        """Add many scores at one moment: a kill leaves all of them or none. How many they were."""
        count = 0
        with self._asking() as cursor:
            cursor.execute("CREATE OR REPLACE TEMP TABLE staged AS FROM scores LIMIT 0")
            register: Any = cursor
            for batch in batches:
                register.register("batch", columns(ScoreRow, [astuple(row) for row in batch]))
                cursor.execute("INSERT INTO staged BY NAME FROM batch")
                register.unregister("batch")
                count += len(batch)
                await asyncio.sleep(0)
            cursor.execute("INSERT INTO scores BY NAME FROM staged")
            cursor.execute("DROP TABLE staged")
        return count

    def _saved_beside(self) -> bool:
        """Whether the file was no longer there, and what it held is in another."""
        if self._watched.displacement() is None:
            return False
        self._backlog.wait_loaded(self._commit.last_seq)
        try:
            return self._watched.save(self._connection)
        except duckdb.Error as error:
            self._writer.failure = StoreError(f"{self.path.name}: cannot be saved: {error}")
            return False

    def _leave_gathered(self) -> None:
        if self._writer.failure is None:
            with suppress(duckdb.Error):  # it saves readers time, and nothing hangs on it
                gather_at_rest(self._connection)


def _slice(cursor: duckdb.DuckDBPyConnection, bounds: dict[str, int]) -> Iterator[Stored]:
    """Replies of a slice in their order; a join would hold their texts, or lose the order."""
    about = {row[0]: row[1:] for row in cursor.execute(_SCORABLE, bounds).fetchall()}
    for position, text, reasoning in cursor.execute(_TEXTS, bounds).fetchall():
        if (found := about.get(position)) is not None:
            trial_id, task, target, truncated = found
            yield Stored(
                trial_id=trial_id,
                task=task,
                target=target,
                text=text,
                reasoning_text=reasoning,
                truncated=truncated,
            )


def _check_place(path: Path, *, create: bool) -> None:
    try:
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        if not create and not path.exists():
            raise StoreError(f"{path}: no such file")
    except OSError as error:
        raise StoreError(f"{path}: cannot be reached: {error.strerror}") from error
