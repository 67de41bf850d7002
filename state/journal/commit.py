"""Group commit: one thread makes the appends of all callers durable with one disk sync."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from state.background import stay_in_background
from state.journal.backlog import Backlog
from state.journal.journal import Journal, JournalEntry, encode, grouped, storable
from state.records import CompletionRow, PromptRow, Row
from state.store import LateRows, StoreError

PERIOD_S = 0.005
"""From one sync to the next, at least. A sync costs the same for one row as for a hundred, and a
call that takes seconds does not feel a few milliseconds."""


COMMIT_BYTES = 8 << 20
"""Texts of one line; a line is held whole while it is written, loaded and read again."""


class _Append(NamedTuple):
    rows: tuple[Row, ...]
    done: asyncio.Future[None] | None
    """None where nobody waits."""
    late: LateRows | None = None


AT_ONCE = 64
"""Waiters that go on in one turn of the loop."""


class GroupCommit:
    """Takes rows from any event loop; wakes those who wait for them when they are on disk."""

    def __init__(
        self, database: Path, journal: Journal, backlog: Backlog, *, last_seq: int
    ) -> None:
        self._name = database.name
        self._journal = journal
        self._backlog = backlog
        self._seq = last_seq
        self._waiting: list[_Append] = []
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._idle = False
        self._synced = 0.0
        self._stopping = False
        self._failure: StoreError | None = None
        self._refusal: StoreError | None = None
        self._thread = threading.Thread(target=self._run, name="runner-journal", daemon=True)

    @property
    def last_seq(self) -> int:
        """Number of the newest durable line."""
        return self._seq

    def start(self) -> None:
        """Begin to commit in the background."""
        self._thread.start()

    def append(self, rows: tuple[Row, ...]) -> asyncio.Future[None]:
        """Done when the rows are on disk, and all that came before them.

        Raises StoreError when they cannot be put there, or when nothing new is to be begun.
        """
        if self._refusal is not None:
            raise StoreError(*self._refusal.args) from self._refusal
        done = asyncio.get_running_loop().create_future()
        self._put(_Append(rows, done))
        return done

    def enqueue(self, rows: tuple[Row, ...], late: LateRows | None = None) -> None:
        """Take rows that nobody waits for; whoever waits for a later append waits for them too.

        Raises StoreError once rows cannot be put on disk.
        """
        self._put(_Append(rows, None, late))

    def _put(self, append: _Append) -> None:
        if self._failure is not None:
            raise self._failure
        with self._lock:
            if self._stopping:
                raise StoreError(f"{self._name}: already closed")
            self._waiting.append(append)
            if self._idle:  # else the thread has been told, or will look by itself
                self._idle = False
                self._changed.notify()

    @property
    def refusal(self) -> StoreError | None:
        """Why nothing new may be begun."""
        return self._failure or self._refusal

    def refuse(self, refusal: StoreError) -> None:
        """From now on nothing new is begun: what waits behind the journal has failed.

        The journal itself is sound, so what was paid for is still taken.
        """
        if self._refusal is None:
            self._refusal = refusal

    def fail(self, failure: StoreError) -> None:
        """From now on nothing is accepted: what is appended could not be kept."""
        if self._failure is None:
            self._failure = failure

    def stop(self) -> None:
        """Make what was appended durable, then end the thread."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        stay_in_background()
        try:
            while batch := self._take():
                batch, bug = _made(batch)
                if bug is not None:  # before anybody who waits for the batch goes on
                    self._refuse_after(bug)
                for portion in _portions(batch):
                    self._commit(portion)
                self._synced = time.monotonic()
        finally:
            self.fail(StoreError(f"{self._name}: already closed"))
            with self._changed:
                self._stopping = True
            self._turn_away(self._waiting)

    def _refuse_after(self, bug: Exception) -> None:
        refusal = StoreError(f"{self._name}: a reply is stored and could not be scored: {bug!r}")
        refusal.__cause__ = bug
        self.refuse(refusal)

    def _take(self) -> list[_Append]:
        with self._changed:
            while not (self._waiting or self._stopping):
                self._idle = True
                self._changed.wait()
            self._idle = False
            early_s = self._synced + PERIOD_S - time.monotonic()
            if early_s > 0:
                self._changed.wait_for(lambda: self._stopping, early_s)
            batch, self._waiting = self._waiting, []
            return batch

    def _commit(self, batch: Sequence[_Append]) -> None:
        if self._failure is not None:
            self._turn_away(batch)
            return
        seq = self._seq + 1
        try:
            groups = grouped(chain.from_iterable([append.rows for append in batch]))
            line = encode(seq, groups)
        except StoreError:
            self._commit_storable(batch)
            return
        try:
            self._journal.write(seq, line)
        except OSError as error:
            self.fail(StoreError(f"{self._name}: cannot be written: {error.strerror}"))
            self._turn_away(batch)
            return
        self._seq = seq
        _wake(batch, None)
        self._backlog.put(JournalEntry(seq, groups), len(line))

    def _commit_storable(self, batch: Sequence[_Append]) -> None:
        """The same where something in the batch is nothing that a column could hold."""
        fit: list[_Append] = []
        for append in batch:
            repaired = _Append(tuple(map(storable, append.rows)), append.done)
            try:
                encode(0, grouped(repaired.rows))
            except StoreError as error:
                if append.done is None:
                    self.fail(error)  # nobody waits for it, so the next to come must hear of it
                _wake([append], error)
            else:
                fit.append(repaired)
        if fit:
            self._commit(fit)

    def _turn_away(self, batch: Sequence[_Append]) -> None:
        _wake(batch, self._failure)


def _made(batch: Sequence[_Append]) -> tuple[list[_Append], Exception | None]:
    """The batch with all rows made, and a bug met in making one: it costs no other row."""
    made: list[_Append] = []
    bug: Exception | None = None
    for append in batch:
        try:
            late = () if append.late is None else tuple(append.late())
        except Exception as error:  # noqa: BLE001  raised once the others are durable
            late, bug = (), error
        made.append(_Append((*append.rows, *late), append.done) if late else append)
    return made, bug


def _portions(batch: list[_Append]) -> Iterator[list[_Append]]:
    """The batch in pieces of about so many bytes, each of whole appends."""
    first = size = 0
    for place, append in enumerate(batch):
        size += sum(_texts_of(row) for row in append.rows)
        if size >= COMMIT_BYTES:
            yield batch[first : place + 1]
            first, size = place + 1, 0
    if first < len(batch):
        yield batch[first:]


def _texts_of(row: Row) -> int:
    """Characters of what has no bound of its own."""
    if isinstance(row, CompletionRow):
        return len(row.text) + len(row.reasoning_text or "")
    return len(row.messages) if isinstance(row, PromptRow) else 0


def _wake(appends: Sequence[_Append], failure: StoreError | None) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for append in appends:
        if append.done is not None:
            by_loop.setdefault(append.done.get_loop(), []).append(append.done)
    for loop, futures in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop has ended, and its waiters with it
            loop.call_soon_threadsafe(_resolve, loop, futures, failure)


def _resolve(
    loop: asyncio.AbstractEventLoop,
    futures: Sequence[asyncio.Future[None]],
    failure: StoreError | None,
) -> None:
    """Some in each turn of the loop: a thousand calls going on at once would hold up the rest."""
    for future in futures[:AT_ONCE]:
        if future.done():
            continue
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(StoreError(*failure.args))
    if len(futures) > AT_ONCE:
        loop.call_soon(_resolve, loop, futures[AT_ONCE:], failure)
