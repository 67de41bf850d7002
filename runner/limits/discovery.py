"""Finds the rate of a server that refuses without saying what its limits are.

What was taken between two moments at which the server's bucket was empty is what it refilled in
between, whatever went out when. The first refusal has no earlier one: there a bucket is assumed
that began with a full minute, as providers' do.
"""

from typing import NamedTuple

SHORTEST_SPAN_S = 5.0
"""Refusals closer together than this tell nothing about a rate."""
FULL_MINUTE_S = 60.0
FEWEST = 2
"""Requests that must have gone through, for a rate to be worked out from them."""
GROWTH = 0.05
"""Of the rate, added whenever it was used up for so long without a refusal."""
GROW_EVERY_S = 10.0
GROW_AT_LEAST_EVERY_S = 80.0
"""Each refusal confirms the rate and makes the next try come later, each growth sooner."""


class Taken(NamedTuple):
    """What the server has accepted since the start, or will have; or what it accepts a minute."""

    requests: float = 0.0
    tokens: float = 0.0


class Discovery:
    """Rates per minute from when refusals come; knows nothing of buckets or waiting."""

    __slots__ = ("_changed_at", "_every_s", "_since", "empty_at")

    def __init__(self) -> None:
        self._since = Taken()
        self._changed_at = 0.0
        self._every_s = GROW_EVERY_S / 2
        self.empty_at: float | None = None
        """When the server last had nothing left."""

    def correct(self, requests: float, tokens: float) -> None:
        """What was sent before it was last empty has turned out to be that much more, or less."""
        self._since = Taken(self._since.requests + requests, self._since.tokens + tokens)

    def is_news(self, sent_at: float) -> bool:
        """Whether a refused request was sent after the last refusal: else it is the same one."""
        return self.empty_at is None or sent_at > self.empty_at

    def emptied(self, taken: Taken, now: float) -> None:
        """The server has refused a request, having taken so much until now."""
        self.empty_at = self._changed_at = now
        self._since = taken

    def refused(self, taken: Taken, started: float, now: float) -> Taken | None:
        """Requests and tokens a minute to keep to from now on; None where nothing can be said."""
        span = 0.0 if self.empty_at is None else now - self.empty_at
        if span >= SHORTEST_SPAN_S:
            rates = _per_minute(taken, self._since, span)
        else:
            rates = _per_minute(taken, Taken(), now - started + FULL_MINUTE_S)
        if rates is not None:
            self._every_s = min(GROW_AT_LEAST_EVERY_S, 2 * self._every_s)
        if rates is not None or self.empty_at is None:
            self.emptied(taken, now)
        return rates

    def may_grow(self, now: float) -> bool:
        """Whether it is time to try for more; true once per step."""
        if now - self._changed_at < self._every_s:
            return False
        self._changed_at = now
        self._every_s = max(GROW_EVERY_S, self._every_s / 2)
        return True


def _per_minute(taken: Taken, since: Taken, span_s: float) -> Taken | None:
    requests = taken.requests - since.requests
    if requests < FEWEST:
        return None
    scale = 60.0 / span_s
    return Taken(requests * scale, max(1.0, taken.tokens - since.tokens) * scale)
