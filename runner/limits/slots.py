"""How many requests may be in flight while no rate is known: grow while it helps, cut when refused.

Rules after congestion control. Slow start adds a slot for every reply, so slots double per round
trip and never in one burst: when the server has had enough, it is met with few requests on their
way. A cut leaves 70 %; slow start leads back to that, one by one at first, and from there growth is
one slot per round that really used them all. Only rate-limit signals cut (an overloaded server says
nothing about our share), and once per episode. Once a rate is known that does the holding back,
slots open.

An episode is a refusal and those of the requests that had been sent before it came back, which
nobody can call back. That they are few is what `gap_s` is for: sends are spread evenly over a round
trip, at the rate at which slots can double, so there is no burst for a refusal to fall into, and
none besides the first where a refusal comes back sooner than the next request goes out.
"""

from collections.abc import Callable
from dataclasses import dataclass

SENDS_PER_SLOT = 2.0
"""As many requests may go out per slot and round trip: one takes another's place, one is growth."""
NEWS = 0.125
"""How much the last request's time counts in what a round trip is taken to be."""
PATIENCE_S = 1.0
"""A refusal comes sooner than this, whatever a reply takes."""
QUIET_S = 1.0
"""Requests replace each other for so long after a pause, one by one, before slots grow again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSettings:
    """Bounds and steps of the controller."""

    start: int = 2
    minimum: int = 1
    maximum: int = 512
    cut: float = 0.7
    episode_s: float = 10.0
    """Signals closer together than this belong to one episode, as do those of requests that were
    already in flight at the cut."""
    patience_s: float | None = None
    """A request not refused for so long was taken, though its reply is still to come: in slow start
    slots grow e-fold in this time even without replies. None where slots wait for replies, since
    nobody said that the server can hold the maximum."""


class AdaptiveConcurrency:
    """Decides the slots of one lane from how its requests end."""

    __slots__ = (
        "_episode_until",
        "_good",
        "_in_use",
        "_now",
        "_opened",
        "_peak",
        "_quiet_until",
        "_round_trip_s",
        "_settings",
        "_threshold",
        "limit",
    )

    def __init__(self, settings: AdaptiveSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self._opened = False
        self._threshold = settings.maximum
        self._good = 0
        self._peak = 0
        self._in_use = 0
        self._round_trip_s: float | None = None
        self._episode_until = self._quiet_until = float("-inf")
        self.limit = min(settings.start, settings.maximum)

    def acquired(self, in_use: int) -> None:
        """A request went out; the peak tells whether the limit was really used."""
        self._in_use = in_use
        self._peak = max(self._peak, in_use)

    def succeeded(self) -> int:
        """A request came back; the limit to use from now on."""
        limit = self.limit
        if limit >= self._settings.maximum:
            return limit
        self._good += 1
        if limit < self._threshold:
            if self._peak >= limit:
                self._grow()
        elif self._good >= limit:
            if self._peak >= limit and self._now() >= self._episode_until:
                self._grow()
            self._good = self._peak = 0
        return self.limit

    def took(self, seconds: float) -> None:
        """A request that was not refused was in flight for so long."""
        before = self._round_trip_s
        self._round_trip_s = seconds if before is None else before + NEWS * (seconds - before)

    @property
    def gap_s(self) -> float:
        """Between one send and the next; none once slots or a rate do all the holding back."""
        if self._opened or self.limit >= self._settings.maximum or self._round_trip_s is None:
            return 0.0
        return self._round_trip_s / (SENDS_PER_SLOT * self.limit)

    @property
    def step_s(self) -> float | None:
        """When the next slot is added without a reply; None where it is not."""
        patience_s = self._settings.patience_s
        if patience_s is None or self.limit >= self._threshold:
            return None
        return patience_s / self.limit

    def waited(self) -> int:
        """All slots were taken for `step_s` without a refusal; the limit to use from now on."""
        if self.step_s is not None:
            self._grow()
        return self.limit

    def open(self) -> int:
        """A known rate holds back from now on: slots need not. The limit to use from now on."""
        self._opened = True
        self.limit = self._threshold = self._settings.maximum
        return self.limit

    def resumed(self, in_use: int) -> int:
        """A pause is over, with so many still in flight: what became free meanwhile is no burst."""
        if not self._opened:
            self.limit = min(self.limit, in_use + 1)
            self._good = self._peak = 0
            self._quiet_until = self._now() + QUIET_S
        return self.limit

    def rate_limited(self, retry_after_s: float | None) -> int:
        """A rate-limit signal; the limit to use from now on. One cut per episode."""
        now = self._now()
        if now >= self._episode_until:
            self._opened = False
            used = min(self.limit, max(self._peak, self._in_use)) or self.limit
            self.limit = max(self._settings.minimum, int(used * self._settings.cut))
            self._threshold = self.limit
            self._good = self._peak = 0
        self._episode_until = now + max(self._settings.episode_s, retry_after_s or 0.0)
        return self.limit

    def _grow(self) -> None:
        self._good = 0
        if self._now() >= self._quiet_until:
            self.limit += 1


def slots_for(
    named: int | None, *, rate_named: bool, now: Callable[[], float]
) -> int | AdaptiveConcurrency:
    """The slots that the user named, or who finds out how many there are or how to come to them.

    Named ones need no replies to grow: who says 500 says that the server can hold as many.
    """
    if named and rate_named:
        return named  # there is nothing to find out
    if named:
        settings = AdaptiveSettings(maximum=named, patience_s=PATIENCE_S)
    else:
        settings = AdaptiveSettings()
    controller = AdaptiveConcurrency(settings, now)
    if rate_named:
        controller.open()
    return controller
