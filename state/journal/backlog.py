"""Durable appends on their way into DuckDB: bounded, so that a slow disk slows sending."""

import threading
from collections import deque
from collections.abc import Sequence

from state.journal.journal import JournalEntry

MAX_BYTES = 8 << 20
"""What may wait in memory, as journal bytes; beyond it appends wait."""


class Backlog:
    """A queue between the thread that makes rows durable and the thread that loads them."""

    def __init__(self, last_seq: int, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._changed = threading.Condition()
        self._waiting: deque[tuple[JournalEntry, int]] = deque()
        self._bytes = 0
        self._rows = 0
        self._loaded_seq = last_seq
        self._wanted_seq = last_seq
        self._enough = 1
        self._closed = False
        self._broken = False
        self._hurry = False

    def put(self, entry: JournalEntry, size: int) -> None:
        """Add a commit of so many bytes; waits while too much is waiting already."""
        with self._changed:
            self._changed.wait_for(lambda: self._bytes < self._max_bytes or self._broken)
            if self._broken:
                return  # the journal keeps it, and the next start loads it
            self._waiting.append((entry, size))
            self._bytes += size
            self._rows += entry.n_rows
            if self._due:  # else the taker would wake for every commit, to find too little
                self._changed.notify_all()

    def take(self, max_rows: int, max_bytes: int, wait_s: float) -> list[tuple[JournalEntry, int]]:
        """About so much, after at most `wait_s`; at once when closed. May be empty."""
        with self._changed:
            self._enough = max_rows
            if not self._closed:
                self._changed.wait_for(
                    lambda: (
                        self._closed
                        or self._hurry
                        or self._rows >= max_rows
                        or self._bytes >= min(max_bytes, self._max_bytes)
                    ),
                    wait_s,
                )
            self._hurry = False
            taken: list[tuple[JournalEntry, int]] = []
            rows = size = 0
            while self._waiting and rows < max_rows and size < max_bytes:
                taken.append(self._waiting.popleft())
                rows += taken[-1][0].n_rows
                size += taken[-1][1]
            self._rows -= rows
            return taken

    @property
    def _due(self) -> bool:
        """Whether there is reason to take now: many, room is short, or somebody waits for them."""
        return (
            self._closed
            or self._rows >= self._enough
            or self._bytes >= self._max_bytes
            or (self._wanted_seq > self._loaded_seq and bool(self._waiting))
        )

    def loaded(self, taken: Sequence[tuple[JournalEntry, int]]) -> None:
        """Take note that these are in DuckDB now."""
        with self._changed:
            self._bytes -= sum(size for _, size in taken)
            self._loaded_seq = taken[-1][0].seq
            self._changed.notify_all()

    def wait_loaded(self, seq: int) -> bool:
        """Wait until this append is in DuckDB; False if it will not get there."""
        with self._changed:
            self._hurry = self._loaded_seq < seq
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._loaded_seq >= seq or self._broken)
            return self._loaded_seq >= seq

    def close(self) -> None:
        """Take note that nothing more will be put."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def give_up(self) -> None:
        """Nothing more will be taken; whoever waits for that goes on."""
        with self._changed:
            self._broken = True
            self._changed.notify_all()

    @property
    def drained(self) -> bool:
        """Closed, and everything is taken."""
        with self._changed:
            return self._closed and not self._waiting
