"""Finds how fast a server takes requests that refuses without saying what its limits are.

Gateways (nginx, haproxy, API gateways) count by the second and say no more than no; providers'
buckets hold a minute. Neither tells which it is, so a pace is sought as one seeks a number: from
below in doubling steps, then between the fastest that passed and the slowest that did not, at last
a little faster now and then. Requests go out evenly, since some gateways take no two at once.

A refusal now and then among many answers has nothing to do with a rate: it is nobody's business but
its request's. Where refusals go on at a quarter of the speed the rate is not their cause either,
and the pace is given up again.
"""

from collections import deque
from math import inf, sqrt

ALARMS = ((4, 8), (10, 100))
"""So many refused of the last so many sent are no chance: 2 % of refusals do so once in hours."""
FULL_MINUTE_S = 60.0
"""Of requests, that a provider's bucket may have held at first."""
DOUBLE_EVERY_S = 2.0
TRIES_S, TRIES = 4.0, 12
"""A pace has passed when for so long, and for so many requests, none was refused."""
MEMORY_S = 15.0
"""Servers that count over some seconds refuse for so long what came too fast before."""
NEAR = 1.06
"""The search ends when what did not pass is this near to what did."""
GROWTH = 1.05
GROW_EVERY_S, GROW_AT_LEAST_EVERY_S = 20.0, 80.0
"""Each refusal confirms the pace and makes the next try come later, each success sooner."""
SLIPS = (3, 30)
"""So many refused of the last so many sent at a pace that had passed: it is too fast by now."""
BACK = 0.8
SLOWEST = 1 / 240
UNRELATED_AFTER_S, UNRELATED_AFTER, UNRELATED_REFUSED = 30.0, 50, 5
"""How long slowing down is tried, in seconds or requests, and what must have been refused then."""
DEAF_S = 120.0
"""Nothing is slowed down for so long after it was no help."""


class PaceSearch:
    """The requests a second to keep to; knows no bucket and nobody who waits."""

    __slots__ = (
        "_alarm_share",
        "_alarmed_at",
        "_begun_at",
        "_begun_n",
        "_changed_at",
        "_changed_n",
        "_cooled",
        "_deaf_until",
        "_every_s",
        "_high",
        "_low",
        "_refusals",
        "_refused_last",
        "_refused_since",
        "_remembers",
        "rate",
    )

    def __init__(self) -> None:
        self.rate: float | None = None
        """Requests a second; None while nothing says that a rate is what the server minds."""
        self._low, self._high = 0.0, inf
        """The fastest pace that has passed, and the slowest that has not."""
        self._every_s = GROW_EVERY_S
        self._cooled = True
        """Whether the refusals after what was last too fast have been waited for."""
        self._refusals: deque[int] = deque(maxlen=max(refused for refused, _ in ALARMS))
        """Which requests were refused, by their place among all that were sent."""
        self._changed_at, self._changed_n = -inf, 0
        self._begun_at, self._begun_n, self._refused_since = -inf, 0, 0
        self._alarm_share, self._alarmed_at = 0.0, -inf
        self._deaf_until = -inf
        self._remembers = False
        """Whether it has refused for a while what came too fast before."""
        self._refused_last = False
        """Whether the last change was a refusal's doing."""

    def is_chance(self, n: int) -> bool:
        """Whether a refusal of the n-th request stands alone among many that were answered."""
        refused, sent = ALARMS[-1]
        return self.rate is None and n > sent and not self._in_last(refused // 2, sent, n)

    def refused(self, n: int, sent_at: float, accepted: float, age_s: float, now: float) -> bool:
        """Take the refusal of the n-th request; whether the pace is another now.

        `accepted` requests were taken in the `age_s` since the first was sent.
        """
        if sent_at <= self._changed_at:
            return False  # it tells of the pace before
        self._refusals.append(n)
        if self.rate is None:
            return self._alarmed(n, accepted, age_s, now)
        self._refused_since += 1
        if self._is_unrelated(n, now):
            self._give_up(now)
        elif self.rate > self._low > 0.0:
            self._too_fast(self.rate, n, now)
        elif self.rate < self._low or self._low == 0.0:
            self._set(max(SLOWEST, self.rate / 2), n, now)
        elif not self._cooled or self._in_last(*SLIPS, n):
            self._slipped(n, now)
        else:
            return False
        return True

    def _alarmed(self, n: int, accepted: float, age_s: float, now: float) -> bool:
        found = next(((k, of) for k, of in ALARMS if self._in_last(k, of, n)), None)
        if found is None or now < self._deaf_until:
            return False
        self._alarm_share = found[0] / found[1]
        self._low, self._high, self._every_s = 0.0, inf, GROW_EVERY_S
        self._refusals.clear()
        self._alarmed_at = now
        self._begin(n, now)
        self._set(max(accepted, 1.0) / (age_s + FULL_MINUTE_S), n, now)
        return True

    def tick(self, n: int, now: float) -> bool:
        """Go a step faster if it is time for one; `n` requests were sent by now."""
        if self.rate is None or now - self._changed_at < self._step_s():
            return False
        if n - self._changed_n >= TRIES:
            self._begin(n, now)
        if self.rate < self._low:
            self._set(self._low, n, now)
            return True
        self._cooled = True
        self._low = self.rate
        if self.rate >= self._high:
            self._high = inf
        self._set(self._next(), n, now)
        return True

    @property
    def next_at(self) -> float:
        """When there may be a step."""
        return inf if self.rate is None else self._changed_at + self._step_s()

    def _step_s(self) -> float:
        rate = self.rate or SLOWEST
        if rate < self._low or (self._low == 0.0 and self._refused_last):
            return min(MEMORY_S, max(1.0, 2 / rate))
        if self._doubles(rate):
            return DOUBLE_EVERY_S if rate < 1.0 else max(DOUBLE_EVERY_S, TRIES / rate)
        if self._high > NEAR * rate:
            return MEMORY_S if self._remembers else min(MEMORY_S, max(TRIES_S, TRIES / rate))
        return self._every_s

    def _doubles(self, rate: float) -> bool:
        return self._high >= 4 * rate and self._every_s == GROW_EVERY_S

    def _next(self) -> float:
        rate = self.rate or 0.0
        if self._doubles(rate):
            return 2 * rate
        if NEAR * rate < self._high < inf:
            return sqrt(rate * self._high)
        self._every_s = max(GROW_EVERY_S, self._every_s / 2)
        return GROWTH * rate

    def _too_fast(self, rate: float, n: int, now: float) -> None:
        if rate <= GROWTH * self._low:
            self._every_s = min(GROW_AT_LEAST_EVERY_S, 2 * self._every_s)
        if now - self._alarmed_at < MEMORY_S:
            self._low = 0.0  # it may still mind what came before the alarm
            self._set(rate / 2, n, now)
            return
        self._high, self._cooled = rate, False
        self._set(self._low, n, now)

    def _slipped(self, n: int, now: float) -> None:
        """Refusals go on at a pace that had passed: of what was too fast before, or it is itself.

        A server that counts over some seconds minds for so long what came too fast.
        """
        if self._cooled:
            self._high, self._low = self._low, BACK * self._low
        elif now - self._begun_at > MEMORY_S:
            passed = (n - self._begun_n) / (now - self._begun_at)
            self._low = min(self._low, max(self._low / 2, passed))
        self._cooled = self._remembers = True
        self._begin(n, now)
        self._set(self._low / 2, n, now)

    def _is_unrelated(self, n: int, now: float) -> bool:
        """Whether slowing down has not helped."""
        sent = n - self._begun_n
        tried = now - self._begun_at >= UNRELATED_AFTER_S or sent >= UNRELATED_AFTER
        many = self._refused_since >= max(UNRELATED_REFUSED, self._alarm_share / 2 * sent)
        return tried and many

    def _give_up(self, now: float) -> None:
        self.rate = None
        self._deaf_until = now + DEAF_S
        self._refusals.clear()

    def _begin(self, n: int, now: float) -> None:
        self._begun_at, self._begun_n, self._refused_since = now, n, 0

    def _set(self, rate: float, n: int, now: float) -> None:
        self._refused_last = bool(self._refusals)
        self.rate = rate
        self._changed_at, self._changed_n = now, n
        self._refusals.clear()

    def _in_last(self, refused: int, sent: int, n: int) -> bool:
        return len(self._refusals) >= refused and self._refusals[-refused] > n - sent
