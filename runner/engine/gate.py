"""Where the calls of a lane wait while its endpoint is gone: in turn, one probe at a time."""

import asyncio
from collections import deque

from runner.engine.outage import Contact, Outage


class Gate:
    """Lets everybody through, or in an outage who is first, when it is time for a probe."""

    __slots__ = ("_queue", "_timer", "outage")

    def __init__(self, outage: Outage) -> None:
        self.outage = outage
        self._queue: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self) -> None:
        """Wait until a call may go out. Who was let through in an outage is its probe."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        self._admit()
        try:
            await turn
        finally:
            if not turn.done() or turn.cancelled():
                self._queue = deque(waiting for waiting in self._queue if waiting is not turn)
                self._admit()

    def take(self, contact: Contact, sent_at: float, *, suspect: bool) -> None:
        """Take the result of a call; who waits may be let through now, or must wait longer."""
        self.outage.take(contact, sent_at, asyncio.get_running_loop().time(), suspect=suspect)
        if self._queue:
            self._admit()

    def open_wide(self) -> None:
        """Let everybody through: nothing more is sent, and who waits shall see that."""
        self._cancel_timer()
        while self._queue:
            self._wake_first()

    def _admit(self) -> None:
        """Let through whoever may pass, then set one timer for the next."""
        self._cancel_timer()
        loop = asyncio.get_running_loop()
        while self._queue:
            wait_s = self.outage.wait_s(loop.time())
            if wait_s is None:
                return
            if wait_s > 0:
                # A hair later: floats must not make the timer fire too early.
                self._timer = loop.call_later(wait_s + 1e-6, self._admit)
                return
            if self._wake_first() and self.outage.open:
                self.outage.probe()

    def _wake_first(self) -> bool:
        turn = self._queue.popleft()
        if turn.done():
            return False
        turn.set_result(None)
        return True

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
