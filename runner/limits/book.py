"""A provider's limits: named by the config, told by the provider, or found from its refusals."""

from collections.abc import Callable, Iterable, Mapping
from math import inf

from runner.limits.bucket import Bucket
from runner.limits.demand import Demand, Grant, Line
from runner.limits.pace import PaceSearch
from runner.limits.periods import MINUTE_S, over_period, period_of, period_s
from runner.wire import LimitHint

LOW_SHARE = 0.25
"""A refusal while every known bucket is fuller than this has another cause than these limits."""


class LimitBook:
    """The limits of one lane with their levels; neither waits nor knows who does."""

    __slots__ = (
        "_configured",
        "_input",
        "_named",
        "_on_rate",
        "_output",
        "_pace",
        "_periods",
        "_refused",
        "_requests",
        "_started",
        "lines",
    )

    def __init__(
        self, limits: Mapping[str, float], now: float, on_rate: Callable[[], None]
    ) -> None:
        self._named: dict[str, Line] = {
            name: Line(name, limit, now) for name, limit in limits.items()
        }
        self.lines: tuple[Line, ...] = tuple(self._named.values())
        """All limits; empty as long as none is known."""
        self._configured = dict(limits)
        self._on_rate = on_rate
        self._started = now
        self._requests = self._input = self._output = self._refused = 0
        self._periods: dict[str, float] = {}
        self._pace = PaceSearch()

    def waits(self, demand: Demand, now: float) -> dict[str, float]:
        """Seconds until each limit has room for a request."""
        return {
            name: line.wait_s(line.amount(1, *demand), now) for name, line in self._named.items()
        }

    def levels(self, now: float) -> dict[str, float]:
        """What is left of each limit."""
        return {name: line.level(now) for name, line in self._named.items()}

    def wait_s(self, demand: Demand, now: float) -> float:
        """Seconds until all limits have room for a request."""
        input_tokens, output_tokens = demand
        longest = 0.0
        for line in self.lines:
            amount = line.requests + line.input * input_tokens + line.output * output_tokens
            wait = line.wait_s(amount, now)
            if wait > longest:  # noqa: PLR1730  `max` would cost more than all the rest
                longest = wait
        return longest

    def take(self, demand: Demand, now: float) -> tuple[int, int, int]:
        """Enter a request that goes out; all that went out up to and including it."""
        input_tokens, output_tokens = demand
        for line in self.lines:
            amount = line.requests + line.input * input_tokens + line.output * output_tokens
            line.take(amount, now)
        self._requests = requests = self._requests + 1
        self._input = all_input = self._input + input_tokens
        self._output = all_output = self._output + output_tokens
        return requests, all_input, all_output

    def correct(self, grant: Grant, more_input: int, more_output: int, now: float) -> None:
        """Take what a request used beyond its demand, or return what it did not.

        A level that the provider told when it took this request, or a later one, has it right.
        """
        requests = grant.sent[0]
        for line in self.lines:
            amount = line.input * more_input + line.output * more_output
            if amount and requests > line.told_at:
                line.take(amount, now)

    def learn(self, hints: Iterable[LimitHint], grant: Grant | None, now: float) -> None:
        """Take limits from what the provider says, none above the config's; believe `remaining`.

        `grant` is that of the call which brought the news: the provider counted when it took that
        call, and what was sent after it is not in its count.
        """
        for hint in hints:
            name = self._name(hint)
            new = name not in self._named
            limit = min(hint.limit or inf, self._configured.get(name, inf))
            lower = new or (name in self._configured and limit < self._named[name].limit)
            if lower and hint.in_words and not self._is_likely(name, hint.limit or 0, now):
                continue
            if limit < inf and (lower or name not in self._configured):
                self._forget_pace()
                self._set_limit(name, limit, now)
            line = self._named.get(name)
            if line is not None and hint.remaining is not None:
                age_s = 0.0 if grant is None else now - grant.at
                line.clamp(_left(hint, line, grant), age_s, now)
                if new and grant is not None:
                    self._count_from(grant, line, now)
            if new and line is not None and period_s(name) == MINUTE_S:
                self._on_rate()

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
                self._remove(wrong)
        self._periods[said] = period
        return over_period(said, period)

    def _is_likely(self, name: str, limit: int, now: float) -> bool:
        """Whether what we sent could have used a limit up, and could not without its being so low.

        A refusal may be about another client of the same key, or a router's own text.
        """
        sent = Line(name, limit, now).amount(self._requests, self._input, self._output)
        minutes = 1.0 + (now - self._started) / MINUTE_S
        return 0.5 * limit <= sent <= 2.0 * limit * minutes

    def _count_from(self, grant: Grant, line: Line, now: float) -> None:
        """The level was told when this call was taken: what was sent later comes on top."""
        requests, input_tokens, output_tokens = grant.sent
        line.told_at = requests
        later = line.amount(
            self._requests - requests, self._input - input_tokens, self._output - output_tokens
        )
        line.take(later, now)

    def _set_limit(self, name: str, limit: float, now: float) -> Line:
        line = self._named.get(name)
        if line is None:
            line = self._named[name] = Line(name, limit, now)
            self.lines = tuple(self._named.values())
        elif line.limit != limit:
            line.resize(limit, period_s(name), now)
        return line

    def _remove(self, name: str) -> None:
        self._named.pop(name, None)
        self.lines = tuple(self._named.values())

    def _forget_pace(self) -> None:
        """A named limit explains the refusals: what was found before only gets in the way."""
        if self._pace.rate is not None:
            self.forget_refusals()

    def refused(self, grant: Grant, now: float) -> bool:
        """A rate-limit signal for a request; whether a named limit explains it.

        Where none does, the refusals are taken as those of a server that says nothing.
        """
        if self._is_explained(now):
            self._refused += 1
            return True
        self.turned_away(grant, now)
        return False

    def turned_away(self, grant: Grant, now: float) -> None:
        """A request was not taken, and nobody said why: too many of those have a rate to them."""
        self._refused += 1
        accepted, age_s = self._requests - self._refused, now - self._started
        if self._pace.refused(grant.sent[0], grant.at, accepted, age_s, now):
            self._follow_pace(now)

    def is_chance(self, grant: Grant, now: float) -> bool:
        """Whether a refusal stands alone among many answers, and no named limit explains it."""
        return self._pace.is_chance(grant.sent[0]) and not self._is_explained(now)

    def _is_explained(self, now: float) -> bool:
        return any(_is_low(line, now) for name, line in self._named.items() if name != FOUND)

    def forget_refusals(self) -> None:
        """What was turned away was so because nobody was there: it tells of no rate."""
        self._pace = PaceSearch()
        self._follow_pace(0.0)

    def step(self, now: float) -> None:
        """Go faster than a pace that was used up without a refusal, if it is time for it."""
        if self._pace.tick(self._requests, now):
            self._follow_pace(now)

    def next_step_s(self, now: float) -> float:
        """Seconds until there may be such a step."""
        return max(0.0, self._pace.next_at - now)

    def _follow_pace(self, now: float) -> None:
        """Requests go out evenly at the pace."""
        rate = self._pace.rate
        if rate is None:
            self._remove(FOUND)
            return
        line = self._named.get(FOUND)
        if line is None:
            line = self._set_limit(FOUND, rate * MINUTE_S, now)
            line.empty(now)
            self._on_rate()
        line.pace(rate * MINUTE_S, MINUTE_S, 1.0, now)


FOUND = "requests_found"
"""The limit that nobody named."""


def _is_low(bucket: Bucket, now: float) -> bool:
    """Whether a bucket holds so little that a refusal may be its doing."""
    return bucket.level(now) < LOW_SHARE * min(bucket.capacity, bucket.rate * MINUTE_S)


def _left(hint: LimitHint, line: Line, grant: Grant | None) -> int:
    """What is left, as told; words come with a refusal, and then it was less than was asked for.

    They round what was used down: believed as it is, each try would be a hair too early.
    """
    left = hint.remaining or 0
    if grant is None or not hint.in_words:
        return left
    asked = line.amount(1, grant.input_tokens, grant.output_tokens)
    return max(0, min(left, asked) - 1)
