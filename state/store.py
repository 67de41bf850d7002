"""What the engine asks of storage."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pyroaring import FrozenBitMap

from state.records import Row

LateRows = Callable[[], Iterable[Row]]
"""Makes rows when their turn comes, in the thread that makes them durable: what nobody waits for
need not hold up the event loop. Must not raise, and must not touch what the loop changes."""


class StoreError(Exception):
    """The file cannot be used; the message says what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a file already holds for the cells of a plan."""

    done: Mapping[str, FrozenBitMap]
    """cell_id to the repeats that need no further attempt, each with a quick `in`."""
    attempts: Mapping[str, int]
    """trial_id to attempts made so far, only for trials that are begun and not done."""
    errors: Mapping[str, Mapping[int, str]]
    """cell_id to the repeats of `done` that stand in an error, with its outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored reply with what is needed to judge it again."""

    trial_id: str
    task: str
    target: str
    text: str
    reasoning_text: str | None
    truncated: bool


class Store(Protocol):
    """Append-only facts. Two implementations: DuckStore (journal and DuckDB), MemoryStore."""

    @property
    def failure(self) -> StoreError | None:
        """Why nothing new may be begun; what is on its way can still be enqueued."""
        ...

    async def append(self, *rows: Row) -> None:
        """Return when all rows, and those taken before them, are durable.

        Rows of one call become visible together. They are taken before the first await: to cancel
        the wait does not withdraw them.

        Raises StoreError when they cannot be made durable, or when nothing new may be begun;
        sending must stop then.
        """
        ...

    def enqueue(self, *rows: Row, late: LateRows | None = None) -> None:
        """Take rows that nobody waits for: they are durable before any that are taken later.

        Those that `late` makes become visible together with the others.

        Raises StoreError once rows cannot be made durable; so does the next append.
        """
        ...

    def progress(self, cell_ids: Iterable[str], retry: frozenset[str], *, seed: int) -> Progress:
        """What is done under a sweep's seed: another seed is another trial of the same cell.

        A trial whose last outcome is in `retry` counts as not done.
        """
        ...

    def committed_pusd(self, sweep_name: str) -> int:
        """Money gone or possibly gone in all runs of this sweep: costs, and holds never settled."""
        ...

    def replies(self, *, unscored: bool = False) -> Iterator[Stored]:
        """All stored replies that may be scored, or have not been; in a stable order, streamed."""
        ...

    async def aclose(self) -> None:
        """Flush, checkpoint and let go of the file."""
        ...
