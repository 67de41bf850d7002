"""Admission to a provider: strictly first come first served, all dimensions in one step.

aiolimiter was measured and not taken: its waiters are a heap by amount, so small requests overtake
long prompts for as long as there are any, and it cannot return what was not used.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from runner.bucket import BURST_SHARE, Bucket
from runner.discovery import GROWTH, Discovery
from runner.wire import LimitHint

__all__ = [
    "BURST_SHARE",
    "DAY_S",
    "MINUTE_S",
    "PARK_AFTER_S",
    "Bucket",
    "Demand",
    "Dimension",
    "Grant",
    "Limiter",
    "LimiterStatistics",
    "ParkedError",
    "period_s",
]

Dimension = Literal["requests", "input_tokens", "output_tokens", "tokens", "requests_per_day"]
MINUTE_S = 60.0
DAY_S = 86_400.0
LOW_SHARE = 0.25
"""A refusal while every known bucket is fuller than this has another cause than these limits."""
PARK_AFTER_S = 3600.0
"""A wait longer than this ends the run resumably instead of holding the terminal."""


class ParkedError(Exception):
    """The next admission is more than an hour away."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"the next request may go out in {wait_s / 3600:.1f} h")
        self.wait_s = wait_s


class Demand(NamedTuple):
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


class Sent(NamedTuple):
    """All that was ever admitted."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, demand: Demand) -> "Sent":
        """With one request more."""
        requests, input_tokens, output_tokens = self
        return Sent(
            requests + 1, input_tokens + demand.input_tokens, output_tokens + demand.output_tokens
        )

    def since(self, earlier: "Sent", dimension: Dimension) -> int:
        """How much of one dimension was admitted after `earlier`."""
        if dimension == "input_tokens":
            return self.input_tokens - earlier.input_tokens
        if dimension == "output_tokens":
            return self.output_tokens - earlier.output_tokens
        if dimension == "tokens":
            return self.since(earlier, "input_tokens") + self.since(earlier, "output_tokens")
        return self.requests - earlier.requests


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
    """Leave to send one request: `settle` when its use is known, `release` exactly once."""

    __slots__ = ("_demand", "_limiter", "_open", "_settled", "at", "sent_before", "waited_s")

    def __init__(self, limiter: "Limiter", demand: Demand, waited_s: float, at: float) -> None:
        self.at = at
        self.sent_before = limiter.sent
        """Everything admitted up to and including this."""
        self._demand = demand
        self._limiter = limiter
        self._open = True
        self._settled = False
        self.waited_s = waited_s

    def settle(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Give back the difference to what was used, where that is known; keeps the slot.

        Must come before anything is learned from the same reply: the provider's own count of what
        is left no longer holds what was not used.
        """
        if not self._settled:
            self._settled = True
            self._limiter.correct(self, self._demand, input_tokens, output_tokens)

    def release(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Free the slot, and settle if that was not done yet."""
        if not self._open:
            raise AssertionError("a grant is released once")
        self._open = False
        self.settle(input_tokens, output_tokens)
        self._limiter.give_back()


class Limiter:
    """Slots and buckets of one lane, admitted together in order of arrival.

    All state changes between awaits, so there is no lock. Only the head of the queue has a timer.
    """

    __slots__ = (
        "_buckets",
        "_configured",
        "_discovered",
        "_discovery",
        "_in_use",
        "_now",
        "_paused_until",
        "_saturated",
        "_slots",
        "_started",
        "_timer",
        "_told_at",
        "_waiters",
        "sent",
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
        self._started = start
        self.sent = Sent()
        self._told_at: dict[Dimension, int] = {}
        self._discovery = Discovery()
        self._discovered: frozenset[Dimension] = frozenset()
        self._saturated = False
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
            return Grant(self, demand, 0.0, now)
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((demand, waiter))
        if len(self._waiters) == 1:
            self._wake()
        try:
            await waiter
        except asyncio.CancelledError:
            self._abandon(demand, waiter)
            raise
        admitted = self._now()
        return Grant(self, demand, admitted - now, admitted)

    def _abandon(self, demand: Demand, waiter: "asyncio.Future[None]") -> None:
        if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
            # Admitted and cancelled in the same turn of the loop.
            Grant(self, demand, 0.0, self._now()).release(input_tokens=0, output_tokens=0)
        else:
            self._waiters = deque(item for item in self._waiters if item[1] is not waiter)
            self._wake()

    def pause(self, seconds: float) -> None:
        """Send nothing for so long; a shorter pause never shortens a longer one."""
        self._paused_until = max(self._paused_until, self._now() + seconds)
        self._wake()

    def give_back(self) -> None:
        """Free one slot (for Grant)."""
        self._in_use -= 1
        if self._saturated and self._discovered:
            self._grow(self._now())
        if self._waiters:
            self._wake()

    def correct(
        self, grant: Grant, demand: Demand, used_input: int | None, used_output: int | None
    ) -> None:
        """Return the unused part of a request's tokens (for Grant).

        A level that the provider told when it took this request, or a later one, has it right.
        """
        more_input = 0 if used_input is None else used_input - demand.input_tokens
        more_output = 0 if used_output is None else used_output - demand.output_tokens
        if not more_input and not more_output:
            return
        now = self._now()
        more = {
            "input_tokens": more_input,
            "output_tokens": more_output,
            "tokens": more_input + more_output,
        }
        used_some = demand.input_tokens + demand.output_tokens + more["tokens"]
        self._discovery.correct(0.0 if used_some else -1.0, more["tokens"], grant.at)
        requests = grant.sent_before.requests
        for dimension, bucket in self._buckets.items():
            amount = more.get(dimension)
            if amount and requests > self._told_at.get(dimension, 0):
                bucket.take(amount, now)

    def learn(self, hints: Iterable[LimitHint], grant: Grant | None = None) -> None:
        """Take limits from what the provider says where the config gave none; believe `remaining`.

        `grant` is that of the call which brought the news: the provider counted when it took that
        call, and what was sent after it is not in its count.
        """
        now = self._now()
        age_s = 0.0 if grant is None else now - grant.at
        for hint in hints:
            dimension: Dimension = hint.dimension  # pyright: ignore[reportAssignmentType]
            new = dimension not in self._buckets
            if new and hint.in_words and not self._is_likely(dimension, hint.limit or 0, now):
                continue
            if hint.limit and dimension not in self._configured:
                self._forget_discovered()
                self._set_limit(dimension, hint.limit, now)
            bucket = self._buckets.get(dimension)
            if bucket is not None and hint.remaining is not None:
                bucket.clamp(hint.remaining, age_s, now)
                if new and grant is not None:
                    self._count_from(grant, dimension, now)

    def _is_likely(self, dimension: Dimension, limit: int, now: float) -> bool:
        """Whether what we sent could have used a limit up, and could not without its being so low.

        A refusal may be about another client of the same key, or a router's own text.
        """
        sent = self.sent.since(Sent(), dimension)
        minutes = 1.0 + (now - self._started) / MINUTE_S
        return 0.5 * limit <= sent <= 2.0 * limit * minutes

    def _count_from(self, grant: Grant, dimension: Dimension, now: float) -> None:
        """The level was told when this call was taken: what was sent later comes on top."""
        self._told_at[dimension] = grant.sent_before.requests
        self._buckets[dimension].take(self.sent.since(grant.sent_before, dimension), now)

    def _set_limit(self, dimension: Dimension, limit: float, now: float) -> None:
        bucket = self._buckets.get(dimension)
        if bucket is None:
            self._buckets[dimension] = Bucket(limit, period_s(dimension), now)
        elif bucket.limit != limit:
            bucket.resize(limit, period_s(dimension), now)

    def _forget_discovered(self) -> None:
        """A named limit explains the refusals: what was guessed before only gets in the way."""
        for dimension in self._discovered:
            del self._buckets[dimension]
        self._discovered = frozenset()

    def refused(self, grant: Grant) -> bool:
        """A rate-limit signal for a request; whether a known rate explains it.

        Where no limit is known, a rate is worked out from when refusals come, and kept to.
        """
        now = self._now()
        named = [b for d, b in self._buckets.items() if d not in self._discovered]
        if any(bucket.level(now) < LOW_SHARE * bucket.capacity for bucket in named):
            return True
        if named or not self._discovery.is_news(grant.at):
            return bool(self._discovered)
        rates = self._discovery.refused(self._slots, now)
        if rates is not None:
            self._discovered = frozenset({"requests", "tokens"})
            self._set_discovered("requests", rates.requests, grant)
            self._set_discovered("tokens", rates.tokens, grant)
        return bool(self._discovered)

    def _set_discovered(self, dimension: Dimension, limit: float, grant: Grant) -> None:
        now = self._now()
        self._set_limit(dimension, limit, now)
        self._buckets[dimension].clamp(0.0, 0.0, now)
        self._count_from(grant, dimension, now)

    def _grow(self, now: float) -> None:
        """A discovered rate that was used up without a refusal may be too low."""
        if self._discovery.may_grow(now):
            self._saturated = False
            for dimension in self._discovered:
                bucket = self._buckets[dimension]
                level = bucket.level(now)
                bucket.resize(bucket.limit * (1 + GROWTH), period_s(dimension), now)
                bucket.clamp(level, 0.0, now)  # a faster refill, not a burst

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
            longest = max(longest, bucket.wait_s(demand.amount(dimension), now))
        return longest

    def _admit(self, demand: Demand, now: float) -> None:
        self._in_use += 1
        self.sent = self.sent.plus(demand)
        self._discovery.took(1.0, demand.amount("tokens"), now)
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
                self._saturated = True
                # A hair later than computed: floats must not make the timer fire too early.
                self._timer = asyncio.get_running_loop().call_later(wait + 1e-6, self._wake)
                return


def period_s(dimension: Dimension) -> float:
    """Seconds over which a limit of this dimension is counted."""
    return DAY_S if dimension == "requests_per_day" else MINUTE_S
