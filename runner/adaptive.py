"""How many requests may be in flight when nobody said: grow while it helps, cut once per episode.

Rules after congestion control: slow start doubles per saturated round until the first cut, then
growth is one per round. Only rate-limit signals cut (an overloaded server says nothing about our
share), once per episode, and growth needs a round that really used the limit.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSettings:
    """Bounds and steps of the controller."""

    start: int = 8
    minimum: int = 1
    maximum: int = 512
    cut: float = 0.5
    episode_s: float = 10.0
    """Signals closer together than this belong to one episode, as do those of requests that were
    already in flight at the cut."""


class AdaptiveConcurrency:
    """Decides the slots of one lane from how its requests end."""

    __slots__ = ("_episode_until", "_good", "_now", "_peak", "_settings", "_slow_start", "limit")

    def __init__(self, settings: AdaptiveSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self._slow_start = True
        self._good = 0
        self._peak = 0
        self._episode_until = float("-inf")
        self.limit = settings.start

    def acquired(self, in_use: int) -> None:
        """A request went out; the peak tells whether the limit was really used."""
        self._peak = max(self._peak, in_use)

    def succeeded(self) -> int:
        """A request came back; the limit to use from now on."""
        self._good += 1
        if self._good >= self.limit:
            if self._peak >= self.limit and self._now() >= self._episode_until:
                grown = self.limit * 2 if self._slow_start else self.limit + 1
                self.limit = min(self._settings.maximum, grown)
            self._good = self._peak = 0
        return self.limit

    def rate_limited(self, retry_after_s: float | None) -> int:
        """A rate-limit signal; the limit to use from now on. One cut per episode."""
        now = self._now()
        if now >= self._episode_until:
            self._slow_start = False
            self.limit = max(self._settings.minimum, int(self.limit * self._settings.cut))
            self._good = self._peak = 0
        self._episode_until = now + max(self._settings.episode_s, retry_after_s or 0.0)
        return self.limit
