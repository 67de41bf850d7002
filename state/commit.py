"""Group commit: one thread makes the appends of all callers durable with one disk sync."""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from state.backlog import Backlog
from state.journal import Entry, Journal, encode, storable
from state.records import Row
from state.store import StoreError


class _Append(NamedTuple):
    rows: tuple[Row, ...]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class _Line(NamedTuple):
    append: _Append
    entry: Entry
    data: bytes


class GroupCommit:
    """Takes appends from any event loop; wakes each when its rows are on disk."""

    def __init__(
        self, database: Path, journal: Journal, backlog: Backlog, *, last_seq: int
    ) -> None:
        self._name = database.name
        self._journal = journal
        self._backlog = backlog
        self._seq = last_seq
        self._waiting: deque[_Append] = deque()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._stopping = False
        self._failure: StoreError | None = None
        self._thread = threading.Thread(target=self._run, name="runner-journal", daemon=True)

    @property
    def last_seq(self) -> int:
        """Number of the newest durable append."""
        return self._seq

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def append(self, rows: tuple[Row, ...]) -> asyncio.Future[None]:
        """Done when the rows are on disk. Raises StoreError when they cannot be put there."""
        if self._failure is not None:
            raise self._failure
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        with self._lock:
            if self._stopping:
                raise StoreError(f"{self._name}: already closed")
            if not self._waiting:  # else the thread has been told, or will look by itself
                self._changed.notify()
            self._waiting.append(_Append(rows, loop, done))
        return done

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
        try:
            while batch := self._take():
                self._commit(batch)
        finally:
            self.fail(StoreError(f"{self._name}: already closed"))
            self._refuse(self._take_all())

    def _take(self) -> list[_Append]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            return self._drain()

    def _take_all(self) -> list[_Append]:
        with self._changed:
            self._stopping = True
            return self._drain()

    def _drain(self) -> list[_Append]:
        batch = list(self._waiting)
        self._waiting.clear()
        return batch

    def _commit(self, batch: list[_Append]) -> None:
        if self._failure is not None:
            self._refuse(batch)
            return
        lines = self._encode(batch)
        if not lines:
            return
        try:
            self._journal.write(self._seq + 1, [line.data for line in lines])
        except OSError as error:
            self.fail(StoreError(f"{self._name}: cannot be written: {error.strerror}"))
            self._refuse([line.append for line in lines])
            return
        self._seq = lines[-1].entry.seq
        _wake([line.append for line in lines], None)
        self._backlog.put([(line.entry, len(line.data)) for line in lines])

    def _encode(self, batch: list[_Append]) -> list[_Line]:
        lines: list[_Line] = []
        for append in batch:
            seq = self._seq + 1 + len(lines)
            try:
                lines.append(_line(seq, append))
            except StoreError as error:
                _wake([append], error)
        return lines

    def _refuse(self, batch: list[_Append]) -> None:
        _wake(batch, self._failure)


def _line(seq: int, append: _Append) -> _Line:
    rows = append.rows
    try:
        data = encode(seq, rows)
    except StoreError:
        rows = tuple(storable(row) for row in rows)
        data = encode(seq, rows)
    return _Line(append, Entry(seq, rows), data)


def _wake(appends: Sequence[_Append], failure: StoreError | None) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for append in appends:
        by_loop.setdefault(append.loop, []).append(append.done)
    for loop, futures in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop has ended, and its waiters with it
            loop.call_soon_threadsafe(_resolve, futures, failure)


def _resolve(futures: Sequence[asyncio.Future[None]], failure: StoreError | None) -> None:
    for future in futures:
        if future.done():
            continue
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(StoreError(*failure.args))
