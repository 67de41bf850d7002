"""Finds the rate of a server that refuses without saying what its limits are.

What was taken between two moments at which the server's bucket was empty is what it refilled in
between, whatever went out when. The first refusal has no earlier one: there a bucket is assumed
that began with a full minute, as providers' do.
"""

from dataclasses import dataclass

SHORTEST_SPAN_S = 5.0
"""Refusals closer together than this tell nothing about a rate."""
FULL_MINUTE_S = 60.0
FEWEST = 2
"""Requests that must have gone through, for a rate to be worked out from them."""
GROWTH = 0.05
"""Of the rate, added whenever it was used up for so long without a refusal."""
GROW_EVERY_S = 10.0


@dataclass(slots=True)
class Taken:
    """What the server has accepted since the start, or will have."""

    requests: float = 0.0
    tokens: float = 0.0

    def add(self, requests: float, tokens: float) -> None:
        """So much more."""
        self.requests += requests
        self.tokens += tokens


class Discovery:
    """Rates per minute from when refusals come; knows nothing of buckets or waiting."""

    __slots__ = ("_changed_at", "_empty_at", "_since", "_started_at", "_taken")

    def __init__(self) -> None:
        self._taken = Taken()
        self._since = Taken()
        self._started_at: float | None = None
        self._empty_at: float | None = None
        self._changed_at = 0.0

    def took(self, requests: float, tokens: float, now: float) -> None:
        """More was sent."""
        if self._started_at is None:
            self._started_at = now
        taken = self._taken
        taken.requests += requests
        taken.tokens += tokens

    def correct(self, requests: float, tokens: float, admitted_at: float) -> None:
        """What was sent then has turned out to be that much more, or less."""
        self._taken.add(requests, tokens)
        if self._empty_at is not None and admitted_at <= self._empty_at:
            self._since.add(requests, tokens)

    def is_news(self, sent_at: float) -> bool:
        """Whether a refused request was sent after the last refusal: else it is the same one."""
        return self._empty_at is None or sent_at > self._empty_at

    def refused(self, slots: int, now: float) -> Taken | None:
        """Requests and tokens a minute to keep to from now on; None where nothing can be said."""
        rates = self._first(slots, now) if self._empty_at is None else self._later(now)
        if rates is not None or self._empty_at is None:
            self._empty_at = self._changed_at = now
            self._since = Taken(self._taken.requests, self._taken.tokens)
        return rates

    def _first(self, slots: int, now: float) -> Taken | None:
        """Too little taken to be a minute's worth is a limit on what is in flight at once."""
        started = now if self._started_at is None else self._started_at
        if self._taken.requests < 2 * slots and now - started < SHORTEST_SPAN_S:
            return None
        return _per_minute(self._taken, Taken(), now - started + FULL_MINUTE_S)

    def _later(self, now: float) -> Taken | None:
        span = now - (self._empty_at or 0.0)
        if span < SHORTEST_SPAN_S:
            return None
        return _per_minute(self._taken, self._since, span)

    def may_grow(self, now: float) -> bool:
        """Whether it is time to try for more; true once per step."""
        if now - self._changed_at < GROW_EVERY_S:
            return False
        self._changed_at = now
        return True


def _per_minute(taken: Taken, since: Taken, span_s: float) -> Taken | None:
    requests = taken.requests - since.requests
    if requests < FEWEST:
        return None
    scale = 60.0 / span_s
    return Taken(requests * scale, max(1.0, taken.tokens - since.tokens) * scale)
