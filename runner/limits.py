"""Admission to a provider: strictly first come first served, all dimensions in one step.

aiolimiter was measured and not taken: its waiters are a heap by amount, so small requests overtake
long prompts for as long as there are any, and it cannot return what was not used.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from msgspec import Struct

from runner.adaptive import AdaptiveConcurrency
from runner.bucket import BURST_SHARE, Bucket
from runner.demand import DAY_S, MINUTE_S, Demand, Dimension, Line, over_period, period_s
from runner.discovery import GROWTH, Discovery, Taken
from runner.periods import period_of
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
]

NEVER = float("-inf")
LOW_SHARE = 0.25
"""A refusal while every known bucket is fuller than this has another cause than these limits."""
PARK_AFTER_S = 3600.0
"""A wait longer than this ends the run resumably instead of holding the terminal."""


class ParkedError(Exception):
    """The next admission is more than an hour away."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"the next request may go out in {wait_s / 3600:.1f} h")
        self.wait_s = wait_s


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


class Grant(Struct, gc=False):
    """Leave to send one request: `settle` when its use is known, `release` exactly once."""

    limiter: "Limiter"
    input_tokens: int
    output_tokens: int
    at: float
    waited_s: float
    in_use: int
    """Requests in flight, this one included."""
    sent: tuple[int, int, int]
    """Requests, input and output tokens that were admitted up to and including this."""
    settled: bool = False
    released: bool = False
    refused: bool = False

    def settle(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Give back the difference to what was used, where that is known; keeps the slot.

        Must come before anything is learned from the same reply: the provider's own count of what
        is left no longer holds what was not used.
        """
        if self.settled:
            return
        self.settled = True
        more_input = 0 if input_tokens is None else input_tokens - self.input_tokens
        more_output = 0 if output_tokens is None else output_tokens - self.output_tokens
        if more_input or more_output:
            self.limiter.correct(self, more_input, more_output)

    def release(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Free the slot, and settle if that was not done yet."""
        if self.released:
            raise AssertionError("a grant is released once")
        self.released = True
        if not self.settled:
            self.settle(input_tokens, output_tokens)
        self.limiter.give_back(self)


class Limiter:
    """Slots and buckets of one lane, admitted together in order of arrival.

    All state changes between awaits, so there is no lock. Only the head of the queue has a timer.
    """

    __slots__ = (
        "_adaptive",
        "_configured",
        "_discovered",
        "_discovery",
        "_in_use",
        "_lines",
        "_now",
        "_paused_until",
        "_periods",
        "_proven",
        "_ramp",
        "_saturated",
        "_sent_input",
        "_sent_output",
        "_sent_requests",
        "_slots",
        "_started",
        "_timer",
        "_unused_requests",
        "_unused_tokens",
        "_waiters",
    )

    def __init__(
        self,
        *,
        slots: int,
        limits: Mapping[Dimension, float],
        now: Callable[[], float] | None = None,
        adaptive: AdaptiveConcurrency | None = None,
    ) -> None:
        self._now = now or asyncio.get_running_loop().time
        start = self._now()
        self._lines: dict[str, Line] = {
            dimension: Line(dimension, Bucket(limit, period_s(dimension), start))
            for dimension, limit in limits.items()
        }
        self._configured = frozenset(limits)
        self._started = start
        self._sent_requests = self._sent_input = self._sent_output = 0
        self._unused_requests = self._unused_tokens = 0
        self._periods: dict[str, float] = {}
        self._discovery = Discovery()
        self._discovered: frozenset[str] = frozenset()
        self._saturated = False
        self._adaptive = adaptive
        self._slots = slots
        self._in_use = 0
        self._proven = 0
        self._paused_until = NEVER
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
        if self._paused_until > NEVER and not self._resume(now):
            return None
        return None if self._wait_s(demand, now) else self._admit(demand, now, 0.0)

    async def acquire(self, demand: Demand) -> Grant:
        """Wait for a slot and for every bucket at once. Raises ParkedError."""
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

    def give_back(self, grant: Grant) -> None:
        """Free one slot (for Grant)."""
        self._in_use -= 1
        if grant.in_use > self._proven and not grant.refused:
            self._proven = grant.in_use
        if self._saturated and self._discovered:
            self._grow(self._now())
        if self._waiters:
            self._wake()

    def correct(self, grant: Grant, more_input: int, more_output: int) -> None:
        """Take what a request used beyond its demand, or return what it did not (for Grant).

        A level that the provider told when it took this request, or a later one, has it right.
        """
        more = more_input + more_output
        unused = int(grant.input_tokens + grant.output_tokens + more == 0)
        self._unused_requests += unused
        self._unused_tokens -= more
        empty_at = self._discovery.empty_at
        if empty_at is not None and grant.at <= empty_at:
            self._discovery.correct(-unused, more)
        if self._lines:
            now, requests = self._now(), grant.sent[0]
            for line in self._lines.values():
                amount = line.input * more_input + line.output * more_output
                if amount and requests > line.told_at:
                    line.bucket.take(amount, now)

    def learn(self, hints: Iterable[LimitHint], grant: Grant | None = None) -> None:
        """Take limits from what the provider says where the config gave none; believe `remaining`.

        `grant` is that of the call which brought the news: the provider counted when it took that
        call, and what was sent after it is not in its count.
        """
        now = self._now()
        for hint in hints:
            self._learn(hint, grant, now)

    def _learn(self, hint: LimitHint, grant: Grant | None, now: float) -> None:
        dimension = self._name(hint)
        new = dimension not in self._lines
        if new and hint.in_words and not self._is_likely(dimension, hint.limit or 0, now):
            return
        if hint.limit and dimension not in self._configured:
            self._forget_discovered()
            self._set_limit(dimension, hint.limit, now)
            if new and period_s(dimension) == MINUTE_S:
                self._open()
        line = self._lines.get(dimension)
        if line is not None and hint.remaining is not None:
            line.bucket.clamp(
                _left(hint, line, grant), 0.0 if grant is None else now - grant.at, now
            )
            if new and grant is not None:
                self._count_from(grant, line, now)

    def _name(self, hint: LimitHint) -> str:
        """The limit that is meant: of two providers' `requests`, one counts minutes, one days."""
        said = hint.dimension
        if hint.in_words or period_s(said) != MINUTE_S:
            return said
        before = self._periods.get(said)
        period = period_of(hint) or before or MINUTE_S
        if before is not None and before != period:
            wrong = over_period(said, before)
            if wrong not in self._configured:
                self._lines.pop(wrong, None)
        self._periods[said] = period
        return over_period(said, period)

    def _is_likely(self, dimension: str, limit: int, now: float) -> bool:
        """Whether what we sent could have used a limit up, and could not without its being so low.

        A refusal may be about another client of the same key, or a router's own text.
        """
        line = Line(dimension, Bucket(limit, MINUTE_S, now))
        sent = line.amount(self._sent_requests, self._sent_input, self._sent_output)
        minutes = 1.0 + (now - self._started) / MINUTE_S
        return 0.5 * limit <= sent <= 2.0 * limit * minutes

    def _count_from(self, grant: Grant, line: Line, now: float) -> None:
        """The level was told when this call was taken: what was sent later comes on top."""
        requests, input_tokens, output_tokens = grant.sent
        line.told_at = requests
        later = line.amount(
            self._sent_requests - requests,
            self._sent_input - input_tokens,
            self._sent_output - output_tokens,
        )
        line.bucket.take(later, now)

    def _set_limit(self, dimension: str, limit: float, now: float) -> Line:
        line = self._lines.get(dimension)
        if line is None:
            line = Line(dimension, Bucket(limit, period_s(dimension), now))
            self._lines[dimension] = line
        elif line.bucket.limit != limit:
            line.bucket.resize(limit, period_s(dimension), now)
        return line

    def _forget_discovered(self) -> None:
        """A named limit explains the refusals: what was guessed before only gets in the way."""
        for dimension in self._discovered:
            del self._lines[dimension]
        self._discovered = frozenset()

    def refused(self, grant: Grant) -> bool:
        """A rate-limit signal for a request; whether a known rate explains it.

        Where no limit is known, a rate is worked out from when refusals come, and kept to. But a
        request that was refused among more in flight than ever came through may have been one too
        many at once: then fewer slots are tried first.
        """
        now = self._now()
        grant.refused = True
        named = [line for name, line in self._lines.items() if name not in self._discovered]
        if any(_is_low(line.bucket, now) for line in named):
            return True
        if named or not self._discovery.is_news(grant.at):
            return bool(self._discovered)
        taken = Taken(
            self._sent_requests - self._unused_requests,
            self._sent_input + self._sent_output - self._unused_tokens,
        )
        if not self._discovered and grant.in_use > self._proven:
            self._discovery.emptied(taken, now)
            return False
        rates = self._discovery.refused(taken, self._started, now)
        if rates is not None:
            self._discovered = frozenset({"requests", "tokens"})
            self._set_discovered("requests", rates.requests, grant)
            self._set_discovered("tokens", rates.tokens, grant)
            self._open()
        return bool(self._discovered)

    def _set_discovered(self, dimension: Dimension, limit: float, grant: Grant) -> None:
        now = self._now()
        line = self._set_limit(dimension, limit, now)
        line.bucket.empty(now)
        self._count_from(grant, line, now)

    def _open(self) -> None:
        """A rate is known, which holds back from now on."""
        if self._adaptive is not None:
            self.slots = self._adaptive.open()

    def _grow(self, now: float) -> None:
        """A discovered rate that was used up without a refusal may be too low."""
        if self._discovery.may_grow(now):
            self._saturated = False
            for dimension in self._discovered:
                bucket = self._lines[dimension].bucket
                level = bucket.level(now)
                bucket.resize(bucket.limit * (1 + GROWTH), period_s(dimension), now)
                bucket.clamp(level, 0.0, now)  # a faster refill, not a burst

    def statistics(self) -> LimiterStatistics:
        """A moment of the limiter, for progress lines and tests."""
        now = self._now()
        return LimiterStatistics(
            waiting=len(self._waiters),
            in_use=self._in_use,
            slots=self._slots,
            paused_s=max(0.0, self._paused_until - now),
            levels={name: line.bucket.level(now) for name, line in self._lines.items()},
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
        waits = {
            name: line.bucket.wait_s(line.amount(1, *demand), now)
            for name, line in self._lines.items()
        }
        return max(waits, key=lambda name: waits[name], default=None)

    def _wait_s(self, demand: Demand, now: float) -> float:
        """Seconds until admission, given a slot."""
        longest = max(0.0, self._paused_until - now)
        for line in self._lines.values():
            longest = max(longest, line.bucket.wait_s(line.amount(1, *demand), now))
        return longest

    def _admit(self, demand: Demand, now: float, waited_s: float) -> Grant:
        input_tokens, output_tokens = demand
        self._in_use += 1
        self._sent_requests += 1
        self._sent_input += input_tokens
        self._sent_output += output_tokens
        for line in self._lines.values():
            line.bucket.take(line.amount(1, input_tokens, output_tokens), now)
        return Grant(
            self,
            input_tokens,
            output_tokens,
            now,
            waited_s,
            self._in_use,
            (self._sent_requests, self._sent_input, self._sent_output),
        )

    def _wake(self) -> None:
        """Admit from the head while possible, then set one timer for the next head."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._now()
        while self._waiters:
            demand, waiter, asked = self._waiters[0]
            if waiter.done():
                self._waiters.popleft()
                continue
            if self._paused_until > NEVER:
                self._resume(now)
            if self._in_use >= self._slots:
                self._begin_ramp()
                return  # a release wakes the queue
            wait = self._wait_s(demand, now)
            if wait == 0.0:
                self._waiters.popleft()
                waiter.set_result(self._admit(demand, now, now - asked))
            elif wait > PARK_AFTER_S:
                self._waiters.popleft()
                waiter.set_exception(ParkedError(wait))
            else:
                self._saturated = True
                # A hair later than computed: floats must not make the timer fire too early.
                self._timer = asyncio.get_running_loop().call_later(wait + 1e-6, self._wake)
                return

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


def _is_low(bucket: Bucket, now: float) -> bool:
    """Whether a bucket holds so little that a refusal may be its doing."""
    return bucket.level(now) < LOW_SHARE * min(bucket.capacity, bucket.rate * MINUTE_S)


def _left(hint: LimitHint, line: Line, grant: Grant | None) -> int:
    """What is left, as told; words come with a refusal, and then it was less than was asked for.

    They round what was used down: believed as it is, each try would be a hair too early, for ever.
    """
    left = hint.remaining or 0
    if grant is None or not hint.in_words:
        return left
    return min(left, max(0, line.amount(1, grant.input_tokens, grant.output_tokens) - 1))
