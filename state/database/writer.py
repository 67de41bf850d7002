"""The one thread that writes DuckDB: loads what is durable, and checkpoints when it is quiet."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa

from state.background import stay_in_background
from state.database.load import Loader
from state.journal.backlog import Backlog
from state.journal.journal import Journal, JournalEntry
from state.store import StoreError

MAX_ROWS = 16_000
MAX_BYTES = 8 << 20
"""What is loaded at once, as rows and as the bytes that they take in the journal."""
MAX_AGE_S = 2.0
"""A row can be queried this long after it is durable, or at once where a query waits for it: a
batch of 20,000 rows costs half of what the same rows cost by the 8,000."""
MEMORY_PAUSES_S = (0.1,) * 10 + (0.5,) * 60
"""A query of somebody else's may take what memory there is; it is waited out so long. Queries end
after 10 s, and others are not let in at once."""
QUIET_TICKS = 2
"""Checkpoint after so many ticks without a row ..."""
CHECKPOINT_BYTES = 64 << 20
"""... or when the journal has grown so long."""


class DuckWriter:
    """Owns the connection that writes."""

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        backlog: Backlog,
        journal: Journal,
        *,
        loader: Loader,
        on_failure: Callable[[StoreError], None],
    ) -> None:
        self.failure: StoreError | None = None
        self._path = path
        self._connection = connection
        self._backlog = backlog
        self._journal = journal
        self._loader = loader
        self._on_failure = on_failure
        self._loaded_seq = 0
        self._safe_seq = 0
        self._quiet = 0
        self._finished = False
        self._thread = threading.Thread(target=self._run, name="runner-duckdb", daemon=True)

    def start(self) -> None:
        """Begin to write commits in the background."""
        self._thread.start()

    def stop(self) -> None:
        """Load all that is left, checkpoint, and end the thread."""
        self._backlog.close()
        self._thread.join()
        self._journal.close()
        try:
            if self.failure is None:
                self._checkpoint()
            self._connection.close()
        except duckdb.Error as error:  # the disk is full: the journal still has every row
            self._fail(_first_line(error))

    def _run(self) -> None:
        stay_in_background()
        try:
            # Batches are too small to share: a second thread only adds to what an insert costs.
            self._connection.execute("SET threads = 1")
            while not self._backlog.drained:
                self._tick()
            self._finished = True
        except (duckdb.Error, pa.ArrowException, OverflowError) as error:
            self._fail(_first_line(error))
        finally:
            if not self._finished:
                self._fail("the writer ended")
            self._backlog.give_up()

    def _tick(self) -> None:
        taken = self._backlog.take(MAX_ROWS, MAX_BYTES, MAX_AGE_S)
        if taken:
            self._load([entry for entry, _ in taken])
            self._loaded_seq = taken[-1][0].seq
            self._backlog.loaded(taken)
        self._quiet = 0 if taken else self._quiet + 1
        if self._checkpoint_due():
            self._checkpoint()

    def _load(self, entries: list[JournalEntry]) -> None:
        """Load, also where a query has the memory for a while: the journal has the rows."""
        for again_s in MEMORY_PAUSES_S:
            try:
                self._loader.load(entries)
                return
            except duckdb.OutOfMemoryException:
                time.sleep(again_s)
        self._loader.load(entries)

    def _checkpoint_due(self) -> bool:
        if self._safe_seq == self._loaded_seq:
            return False
        return self._quiet == QUIET_TICKS or self._journal.retained_bytes > CHECKPOINT_BYTES

    def _checkpoint(self) -> None:
        try:
            self._connection.execute("CHECKPOINT")
        except (duckdb.TransactionException, duckdb.OutOfMemoryException):
            return  # a reader is in the middle of something; the next quiet moment will do
        self._safe_seq = self._loaded_seq
        self._journal.trim(self._safe_seq)

    def _fail(self, reason: str) -> None:
        if self.failure is None:
            self.failure = StoreError(f"{self._path.name}: rows cannot be stored: {reason}")
            self._on_failure(self.failure)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
