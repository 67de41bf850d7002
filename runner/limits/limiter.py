"""Admission to a provider: strictly first come first served, all dimensions in one step.

aiolimiter was measured and not taken: its waiters are a heap by amount, so small requests overtake
long prompts for as long as there are any, and it cannot return what was not used.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from runner.limits.book import LimitBook
from runner.limits.demand import Demand, Dimension, Grant
from runner.limits.slots import AdaptiveConcurrency
from runner.wire import LimitHint, RetryDecision, TooMuch, Usage

NEVER = float("-inf")
PARK_AFTER_S = 3600.0
"""A wait longer than this ends the run resumably instead of holding the terminal."""


class ParkedError(Exception):
    """The next admission is more than an hour away."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"the next request may go out in {wait_s / 3600:.1f} h")
        self.wait_s = wait_s


class Hindrance(StrEnum):
    """What the first waiter waits for where it is no limit by name."""

    RETRY_AFTER = "retry_after"
    SLOTS = "slots"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimiterStatistics:
    """A moment of a limiter."""

    waiting: int
    in_use: int
    slots: int
    paused_s: float
    levels: Mapping[str, float]
    binding: str | None
    """The limit that the first waiter waits for, or a Hindrance."""


class Limiter:
    """Slots and limits of one lane, admitted together in order of arrival.

    All state changes between awaits, so there is no lock. Only the head of the queue has a timer.
    """

    __slots__ = (
        "_adaptive",
        "_book",
        "_in_use",
        "_next_at",
        "_now",
        "_paused_until",
        "_ramp",
        "_saturated",
        "_slots",
        "_timer",
        "_waiters",
    )

    def __init__(
        self,
        *,
        slots: int | AdaptiveConcurrency,
        limits: Mapping[Dimension, float],
        now: Callable[[], float] | None = None,
    ) -> None:
        """`slots` is a fixed number, or who finds out how many there are."""
        self._now = now or asyncio.get_running_loop().time
        self._book = LimitBook(
            {str(dimension): limit for dimension, limit in limits.items()}, self._now(), self._open
        )
        self._saturated = False
        self._adaptive = slots if isinstance(slots, AdaptiveConcurrency) else None
        self._slots = slots.limit if isinstance(slots, AdaptiveConcurrency) else slots
        self._in_use = 0
        self._paused_until = self._next_at = NEVER
        self._waiters: deque[tuple[Demand, asyncio.Future[Grant], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._ramp: asyncio.TimerHandle | None = None

    @property
    def slots(self) -> int:
        """Requests that may be in flight; may be set live, lowering never preempts."""
        return self._slots

    @slots.setter
    def slots(self, value: int) -> None:
        if value != self._slots:
            self._slots = value
            self._wake()

    @property
    def in_use(self) -> int:
        """Requests in flight."""
        return self._in_use

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._waiters)

    def acquire_now(self, demand: Demand) -> Grant | None:
        """A grant if there is nothing to wait for."""
        if self._waiters or self._in_use >= self._slots:
            return None
        now = self._now()
        if self._paused_until != NEVER and not self._resume(now):
            return None
        book = self._book
        if self._next_at > now or (book.lines and book.wait_s(demand, now)):
            return None
        return self._admit(demand, now, 0.0)

    def _admit(self, demand: Demand, now: float, waited_s: float) -> Grant:
        self._in_use = in_use = self._in_use + 1
        if self._adaptive is not None:
            self._adaptive.acquired(in_use)
            self._next_at = now + self._adaptive.gap_s
        sent = self._book.take(demand, now)
        return Grant(self, demand.input_tokens, demand.output_tokens, now, waited_s, in_use, sent)

    async def acquire(self, demand: Demand) -> Grant:
        """Wait for a slot and for every limit at once. Raises ParkedError."""
        grant = self.acquire_now(demand)
        if grant is not None:
            return grant
        waiter: asyncio.Future[Grant] = asyncio.get_running_loop().create_future()
        self._waiters.append((demand, waiter, self._now()))
        if len(self._waiters) == 1:
            self._wake()
        try:
            return await waiter
        except asyncio.CancelledError:
            self._abandon(waiter)
            raise

    def _abandon(self, waiter: "asyncio.Future[Grant]") -> None:
        if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
            # Admitted and cancelled in the same turn of the loop.
            waiter.result().release(input_tokens=0, output_tokens=0)
        else:
            self._waiters = deque(item for item in self._waiters if item[1] is not waiter)
            self._wake()

    def pause(self, seconds: float) -> None:
        """Send nothing for so long; a shorter pause never shortens a longer one."""
        self._paused_until = max(self._paused_until, self._now() + seconds)
        self._wake()

    def correct(self, grant: Grant, more_input: int, more_output: int) -> None:
        """Take what a request used beyond its demand, or return what it did not (for Grant)."""
        self._book.correct(grant, more_input, more_output, self._now())

    def give_back(self, grant: Grant) -> None:
        """Free one slot (for Grant)."""
        self._in_use -= 1
        if self._adaptive is not None and not grant.refused:
            self._adaptive.took(self._now() - grant.at)
        if self._waiters:
            self._wake()

    def answered(self, grant: Grant, usage: Usage | None, hints: Iterable[LimitHint] = ()) -> None:
        """A request came back with an answer: what it used is known, and there may be more."""
        self.failed(grant, usage, hints)
        if self._adaptive is not None:
            self.slots = self._adaptive.succeeded()

    def failed(self, grant: Grant, usage: Usage | None, hints: Iterable[LimitHint] = ()) -> None:
        """A request came back with something else, which says nothing about how many may be."""
        read = None if usage is None else usage.total_input
        if usage is None or read is None:
            grant.settle(None, None)
        else:
            grant.settle(read, usage.total_output)
        if hints:
            self.learn(hints, grant)

    def refused(
        self, grant: Grant, refusal: RetryDecision, hints: Iterable[LimitHint] = ()
    ) -> None:
        """A request was too much, and used nothing.

        Only what is said to be about calls in flight cuts slots: for the others there is a rate.
        """
        grant.settle(0, 0)
        grant.refused = True
        if hints:
            self.learn(hints, grant)
        self._book.refused(grant, self._now())
        if self._adaptive is not None and refusal.about is TooMuch.CONCURRENCY:
            self.slots = self._adaptive.rate_limited(refusal.retry_after_s)

    def turned_away(self, grant: Grant) -> None:
        """A server that others find up would not take a request, and says no more than that."""
        self.failed(grant, None)
        grant.refused = True
        self._book.turned_away(grant, self._now())

    def forget_refusals(self) -> None:
        """Nobody was there to take what was turned away: it tells of no rate."""
        self._book.forget_refusals()
        self._wake()

    def is_chance(self, grant: Grant) -> bool:
        """Whether a refusal stands alone among many answers."""
        return self._book.is_chance(grant, self._now())

    def learn(self, hints: Iterable[LimitHint], grant: Grant | None = None) -> None:
        """Take limits from what the provider says; `grant` is that of the call that brought it."""
        self._book.learn(hints, grant, self._now())

    def _open(self) -> None:
        """A rate is known, which holds back from now on."""
        if self._adaptive is not None:
            self.slots = self._adaptive.open()

    def statistics(self) -> LimiterStatistics:
        """A moment of the limiter, for progress lines and tests."""
        now = self._now()
        return LimiterStatistics(
            waiting=len(self._waiters),
            in_use=self._in_use,
            slots=self._slots,
            paused_s=max(0.0, self._paused_until - now),
            levels=self._book.levels(now),
            binding=self._binding(now),
        )

    def _binding(self, now: float) -> str | None:
        if not self._waiters:
            return None
        if self._paused_until > now:
            return Hindrance.RETRY_AFTER
        if self._in_use >= self._slots or self._next_at > now:
            return Hindrance.SLOTS
        waits = self._book.waits(self._waiters[0][0], now)
        return max(waits, key=lambda name: waits[name], default=None)

    def _wake(self) -> None:
        """Admit from the head while possible, then set one timer for the next head."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._now()
        if self._paused_until != NEVER:
            self._resume(now)
        if self._saturated:
            self._saturated = False
            self._book.step(now)
        while self._waiters:
            demand, waiter, asked = self._waiters[0]
            if waiter.done():
                self._waiters.popleft()
                continue
            if self._in_use >= self._slots:
                self._begin_ramp()
                return  # a release wakes the queue
            wait = max(
                self._paused_until - now, self._next_at - now, self._book.wait_s(demand, now)
            )
            if wait > 0.0:
                self._hold(waiter, wait)
                return
            self._waiters.popleft()
            waiter.set_result(self._admit(demand, now, now - asked))

    def _hold(self, waiter: "asyncio.Future[Grant]", wait_s: float) -> None:
        """The head must wait so long, or is told that it is too long."""
        loop = asyncio.get_running_loop()
        if wait_s > PARK_AFTER_S:
            self._waiters.popleft()
            waiter.set_exception(ParkedError(wait_s))
            self._timer = loop.call_later(0, self._wake)
        else:
            self._saturated = True
            # A hair later than computed: floats must not make the timer fire too early.
            sooner_s = min(wait_s, self._book.next_step_s(self._now()))
            self._timer = loop.call_later(sooner_s + 1e-6, self._wake)

    def _resume(self, now: float) -> bool:
        """Whether a pause is over, and there is a slot."""
        if self._paused_until > now:
            return False
        self._paused_until = NEVER
        if self._adaptive is not None:
            self._slots = self._adaptive.resumed(self._in_use)
        return self._in_use < self._slots

    def _begin_ramp(self) -> None:
        """While the head waits for a slot, slots may be added without waiting for replies."""
        step_s = None if self._adaptive is None else self._adaptive.step_s
        if step_s is not None and self._ramp is None:
            self._ramp = asyncio.get_running_loop().call_later(step_s, self._ramp_up)

    def _ramp_up(self) -> None:
        self._ramp = None
        waits_for_slot = bool(self._waiters) and self._in_use >= self._slots
        if waits_for_slot and self._adaptive is not None and self._paused_until <= self._now():
            self.slots = self._adaptive.waited()
        self._wake()
