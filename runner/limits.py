"""Admission to a provider: strictly first come first served, all dimensions in one step.

aiolimiter was measured and not taken: its waiters are a heap by amount, so small requests overtake
long prompts for as long as there are any, and it cannot return what was not used.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from runner.wire import LimitHint

Dimension = Literal["requests", "input_tokens", "output_tokens", "tokens", "requests_per_day"]
MINUTE_S = 60.0
DAY_S = 86_400.0
BURST_SHARE = 0.98
"""Of a full bucket: a request reaches the server a little after we admit it, and a server whose
bucket is still full in between loses that refill, so its level can be slightly below ours."""
PARK_AFTER_S = 3600.0
"""A wait longer than this ends the run resumably instead of holding the terminal."""


class ParkedError(Exception):
    """The next admission is more than an hour away."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"the next request may go out in {wait_s / 3600:.1f} h")
        self.wait_s = wait_s


class Bucket:
    """A level that refills at a constant rate up to its capacity, and may go into debt.

    An amount above the capacity is admitted on a full bucket and leaves a debt: a prompt larger
    than a minute's tokens goes out instead of waiting for ever.
    """

    __slots__ = ("_at", "_level", "capacity", "limit", "rate")

    def __init__(self, limit: float, period_s: float, now: float) -> None:
        self.limit = limit
        self.capacity = limit * BURST_SHARE if limit > 1 else limit
        self.rate = limit / period_s
        self._level = self.capacity
        self._at = now

    def level(self, now: float) -> float:
        """What could be taken now; negative while in debt."""
        if now > self._at:
            self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
            self._at = now
        return self._level

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken; 0 when it may be now."""
        missing = min(amount, self.capacity) - self.level(now)
        return missing / self.rate if missing > 1e-9 else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take `amount`; a negative amount gives back what was not used."""
        self._level = min(self.capacity, self.level(now) - amount)

    def clamp(self, remaining: float, now: float) -> None:
        """Believe the server when it says that less is left than we thought."""
        self._level = min(self.level(now), remaining)

    def resize(self, limit: float, period_s: float, now: float) -> None:
        """Change the limit; what was already taken stays taken."""
        used = self.capacity - self.level(now)
        self.limit = limit
        self.capacity = limit * BURST_SHARE if limit > 1 else limit
        self.rate = limit / period_s
        self._level = self.capacity - used


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one request takes: itself, its estimated input and its largest possible output."""

    input_tokens: int = 0
    output_tokens: int = 0

    def amount(self, dimension: Dimension) -> float:
        """How much of one dimension this is."""
        if dimension == "input_tokens":
            return self.input_tokens
        if dimension == "output_tokens":
            return self.output_tokens
        if dimension == "tokens":
            return self.input_tokens + self.output_tokens
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LimiterStatistics:
    """A moment of a limiter."""

    waiting: int
    in_use: int
    slots: int
    paused_s: float
    levels: Mapping[str, float]
    binding: str | None
    """The dimension that the first waiter waits for."""


class Grant:
    """Leave to send one request; `release` exactly once."""

    __slots__ = ("_demand", "_limiter", "_open", "waited_s")

    def __init__(self, limiter: "Limiter", demand: Demand, waited_s: float) -> None:
        self._limiter = limiter
        self._demand = demand
        self._open = True
        self.waited_s = waited_s

    def release(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Free the slot, and give back the difference to what was used, where that is known."""
        if not self._open:
            raise AssertionError("a grant is released once")
        self._open = False
        self._limiter.give_back(self._demand, input_tokens, output_tokens)


class Limiter:
    """Slots and buckets of one lane, admitted together in order of arrival.

    All state changes between awaits, so there is no lock. Only the head of the queue has a timer.
    """

    __slots__ = (
        "_buckets",
        "_configured",
        "_in_use",
        "_now",
        "_paused_until",
        "_slots",
        "_timer",
        "_waiters",
    )

    def __init__(
        self,
        *,
        slots: int,
        limits: Mapping[Dimension, float],
        now: Callable[[], float] | None = None,
    ) -> None:
        self._now = now or asyncio.get_running_loop().time
        start = self._now()
        self._buckets: dict[Dimension, Bucket] = {
            dimension: Bucket(limit, period_s(dimension), start)
            for dimension, limit in limits.items()
        }
        self._configured = frozenset(limits)
        self._slots = slots
        self._in_use = 0
        self._paused_until = float("-inf")
        self._waiters: deque[tuple[Demand, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def slots(self) -> int:
        """Requests that may be in flight; may be set live, lowering never preempts."""
        return self._slots

    @slots.setter
    def slots(self, value: int) -> None:
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

    async def acquire(self, demand: Demand) -> Grant:
        """Wait for a slot and for every bucket at once. Raises ParkedError."""
        now = self._now()
        if not self._waiters and self._wait_s(demand, now) == 0.0:
            self._admit(demand, now)
            return Grant(self, demand, 0.0)
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((demand, waiter))
        if len(self._waiters) == 1:
            self._wake()
        try:
            await waiter
        except asyncio.CancelledError:
            self._abandon(demand, waiter)
            raise
        return Grant(self, demand, self._now() - now)

    def _abandon(self, demand: Demand, waiter: "asyncio.Future[None]") -> None:
        if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
            self.give_back(demand, 0, 0)  # admitted and cancelled in the same turn of the loop
        else:
            self._waiters = deque(item for item in self._waiters if item[1] is not waiter)
            self._wake()

    def pause(self, seconds: float) -> None:
        """Send nothing for so long; a shorter pause never shortens a longer one."""
        self._paused_until = max(self._paused_until, self._now() + seconds)
        self._wake()

    def give_back(self, demand: Demand, used_input: int | None, used_output: int | None) -> None:
        """Free one slot and return the unused part of the tokens (for Grant)."""
        self._in_use -= 1
        used = Demand(
            input_tokens=demand.input_tokens if used_input is None else used_input,
            output_tokens=demand.output_tokens if used_output is None else used_output,
        )
        if used != demand:
            now = self._now()
            for dimension, bucket in self._buckets.items():
                bucket.take(used.amount(dimension) - demand.amount(dimension), now)
        if self._waiters:
            self._wake()

    def learn(self, hints: Iterable[LimitHint]) -> None:
        """Take limits from response headers where the config gave none, and believe `remaining`."""
        now = self._now()
        for hint in hints:
            dimension: Dimension = hint.dimension  # pyright: ignore[reportAssignmentType]
            bucket = self._buckets.get(dimension)
            if hint.limit and dimension not in self._configured:
                if bucket is None:
                    bucket = Bucket(hint.limit, period_s(dimension), now)
                    self._buckets[dimension] = bucket
                elif bucket.limit != hint.limit:
                    bucket.resize(hint.limit, period_s(dimension), now)
            if bucket is not None and hint.remaining is not None:
                bucket.clamp(hint.remaining, now)

    def oversize(self, demand: Demand) -> list[Dimension]:
        """Dimensions of which one request takes more than a full bucket."""
        return [
            dimension
            for dimension, bucket in self._buckets.items()
            if demand.amount(dimension) > bucket.limit
        ]

    def statistics(self) -> LimiterStatistics:
        """A moment of the limiter, for progress lines and tests."""
        now = self._now()
        return LimiterStatistics(
            waiting=len(self._waiters),
            in_use=self._in_use,
            slots=self._slots,
            paused_s=max(0.0, self._paused_until - now),
            levels={name: bucket.level(now) for name, bucket in self._buckets.items()},
            binding=self._binding(now),
        )

    def _binding(self, now: float) -> str | None:
        if not self._waiters:
            return None
        if self._paused_until > now:
            return "retry_after"
        if self._in_use >= self._slots:
            return "slots"
        demand = self._waiters[0][0]
        waits = {n: b.wait_s(demand.amount(n), now) for n, b in self._buckets.items()}
        return max(waits, key=lambda name: waits[name], default=None)

    def _wait_s(self, demand: Demand, now: float) -> float:
        """Seconds until admission; infinite while no slot is free (a release wakes the queue)."""
        if self._in_use >= self._slots:
            return float("inf")
        longest = max(0.0, self._paused_until - now)
        for dimension, bucket in self._buckets.items():
            wait = bucket.wait_s(demand.amount(dimension), now)
            longest = max(longest, wait)
        return longest

    def _admit(self, demand: Demand, now: float) -> None:
        self._in_use += 1
        for dimension, bucket in self._buckets.items():
            bucket.take(demand.amount(dimension), now)

    def _wake(self) -> None:
        """Admit from the head while possible, then set one timer for the next head."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._now()
        while self._waiters:
            demand, waiter = self._waiters[0]
            if waiter.done():
                self._waiters.popleft()
                continue
            wait = self._wait_s(demand, now)
            if wait == 0.0:
                self._waiters.popleft()
                self._admit(demand, now)
                waiter.set_result(None)
            elif wait == float("inf"):
                return
            elif wait > PARK_AFTER_S:
                self._waiters.popleft()
                waiter.set_exception(ParkedError(wait))
            else:
                # A hair later than computed: floats must not make the timer fire too early.
                self._timer = asyncio.get_running_loop().call_later(wait + 1e-6, self._wake)
                return


def period_s(dimension: Dimension) -> float:
    """Seconds over which a limit of this dimension is counted."""
    return DAY_S if dimension == "requests_per_day" else MINUTE_S
