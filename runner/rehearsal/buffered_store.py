"""Writes a rehearsal's rows in large batches, while virtual time stands still.

What is rehearsed can be rehearsed again, so no row need be durable before the next step.
"""

from collections.abc import Iterable, Iterator

from runner.rehearsal.virtual_time import VirtualLoop
from state.records import Row
from state.store import LateRows, Progress, Stored, StoreError
from state.stores.duck import DuckStore

ROWS_AT_ONCE = 4000


class BufferedStore:
    """A store of the same file format that is in no hurry."""

    def __init__(self, store: DuckStore, loop: VirtualLoop) -> None:
        self._store = store
        self._loop = loop
        self._rows: list[Row] = []

    @property
    def failure(self) -> StoreError | None:
        """Why nothing new may be begun."""
        return self._store.failure

    async def append(self, *rows: Row) -> None:
        """Keep the rows for the next batch."""
        self._rows.extend(rows)
        if len(self._rows) >= ROWS_AT_ONCE:
            await self.flush()

    def enqueue(self, *rows: Row, late: LateRows | None = None) -> None:
        """Keep the rows for the next batch."""
        self._rows.extend((*rows, *(late() if late else ())))

    async def flush(self) -> None:
        """Write what is kept."""
        rows, self._rows = self._rows, []
        if rows:
            with self._loop.held():
                await self._store.append(*rows)

    def progress(self, cell_ids: Iterable[str], retry: frozenset[str], *, seed: int) -> Progress:
        """Tell what is done in the file."""
        return self._store.progress(cell_ids, retry, seed=seed)

    def committed_pusd(self, sweep_name: str) -> int:
        """Money of earlier runs in the file."""
        return self._store.committed_pusd(sweep_name)

    def replies(self, *, unscored: bool = False) -> Iterator[Stored]:
        """Read all stored replies."""
        return self._store.replies(unscored=unscored)

    async def aclose(self) -> None:
        """Write what is kept, and let go of the file."""
        await self.flush()
        with self._loop.held():
            await self._store.aclose()
