"""A level that refills at a constant rate: one limit of a provider, as we keep it ourselves."""

BURST_SHARE = 0.98
"""Of a full bucket: a request reaches the server a little after we admit it, and a server whose
bucket is still full in between loses that refill, so its level can be slightly below ours."""


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
            # Written out, here and below: a `min` costs more than all the rest.
            level = self._level + (now - self._at) * self.rate
            self._level = level if level < self.capacity else self.capacity  # noqa: FURB136
            self._at = now
        return self._level

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken; 0 when it may be now."""
        level = self._level if now == self._at else self.level(now)
        missing = (amount if amount < self.capacity else self.capacity) - level  # noqa: FURB136
        return missing / self.rate if missing > 1e-9 else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take `amount`; a negative amount gives back what was not used."""
        level = (self._level if now == self._at else self.level(now)) - amount
        self._level = level if level < self.capacity else self.capacity  # noqa: FURB136

    def clamp(self, remaining: float, age_s: float, now: float) -> None:
        """Believe the server when it says that less is left than we thought.

        It said so up to `age_s` ago, when it took the request, and has refilled since: believing
        the bare number after a long call would throw away all that came in meanwhile.
        """
        self._level = min(self.level(now), min(remaining, self.capacity) + age_s * self.rate)

    def empty(self, now: float) -> None:
        """Nothing is left, and nothing is owed."""
        self._level, self._at = 0.0, now

    def pace(self, limit: float, period_s: float, one: float, now: float) -> None:
        """Refill at another rate, and hold no more than one request: they go out evenly."""
        self._level = min(self.level(now), one)
        self.limit, self.capacity, self.rate = limit, one, limit / period_s

    def resize(self, limit: float, period_s: float, now: float) -> None:
        """Change the limit; what was already taken stays taken."""
        used = self.capacity - self.level(now)
        self.limit = limit
        self.capacity = limit * BURST_SHARE if limit > 1 else limit
        self.rate = limit / period_s
        self._level = self.capacity - used
