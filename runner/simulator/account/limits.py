"""Rate limits as a provider enforces them: buckets that start full and refill evenly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from runner.simulator.spec.settings import LimitSettings

Dimension = Literal["requests", "input_tokens", "output_tokens", "tokens"]
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketState:
    """What a header says of one limit."""

    dimension: Dimension
    limit: int
    remaining: int
    reset_s: float
    """Seconds until it is full again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request was not taken, and when it may come back."""

    kind: Literal["rate_limit", "too_large", "daily_limit", "concurrency"]
    dimension: Dimension = "requests"
    limit: int = 0
    used: int = 0
    requested: int = 0
    retry_s: float = 0.0


class SimulatedBucket:
    """Units that refill at `limit` per minute; may be overdrawn, never overfull."""

    def __init__(self, dimension: Dimension, limit: int, now_s: float) -> None:
        self.dimension: Dimension = dimension
        self.limit = limit
        self.level = float(limit)
        self._rate = limit / 60.0
        self._at_s = now_s

    def refill(self, now_s: float) -> None:
        """Bring the level up to date."""
        self.level = min(float(self.limit), self.level + (now_s - self._at_s) * self._rate)
        self._at_s = now_s

    def wait_s(self, amount: int) -> float:
        """Seconds until the amount would be taken; an oversize one needs a full bucket."""
        # Floating refills may end a hair short of full; a microunit is no request.
        missing = min(amount, self.limit) - self.level - 1e-6
        return max(0.0, missing / self._rate)

    def state(self) -> BucketState:
        """The level, as a header tells it."""
        return BucketState(
            dimension=self.dimension,
            limit=self.limit,
            remaining=max(0, int(self.level)),
            reset_s=max(0.0, (self.limit - self.level) / self._rate),
        )


class Meter:
    """The limits of one model on one account."""

    def __init__(self, settings: LimitSettings, now_s: float) -> None:
        self._settings = settings
        given: dict[Dimension, int | None] = {
            "requests": settings.rpm,
            "input_tokens": settings.itpm,
            "output_tokens": settings.otpm,
            "tokens": settings.tpm,
        }
        self._buckets = [
            SimulatedBucket(name, limit, now_s) for name, limit in given.items() if limit
        ]
        self._day_from_s = now_s
        self._today = 0

    def admit(self, needs: Mapping[Dimension, int], now_s: float, running: int) -> Refusal | None:
        """Take what a request needs from every bucket at once, or from none."""
        refusal = self._daily(now_s) or self._slots(running) or self._tokens(needs, now_s)
        if refusal is None:
            self._today += 1
            for bucket in self._buckets:
                bucket.level -= needs[bucket.dimension]
        return refusal

    def _daily(self, now_s: float) -> Refusal | None:
        if now_s - self._day_from_s >= DAY_S:
            self._day_from_s += DAY_S * ((now_s - self._day_from_s) // DAY_S)
            self._today = 0
        limit = self._settings.rpd
        if limit is None or self._today < limit:
            return None
        left_s = self._day_from_s + DAY_S - now_s
        return Refusal(
            kind="daily_limit", limit=limit, used=self._today, requested=1, retry_s=left_s
        )

    def _slots(self, running: int) -> Refusal | None:
        limit = self._settings.concurrency
        if limit is None or running < limit:
            return None
        return Refusal(kind="concurrency", limit=limit, used=running, requested=1, retry_s=1.0)

    def _tokens(self, needs: Mapping[Dimension, int], now_s: float) -> Refusal | None:
        worst: Refusal | None = None
        for bucket in self._buckets:
            bucket.refill(now_s)
            need = needs[bucket.dimension]
            oversize = need > bucket.limit and self._settings.oversize == "reject"
            wait_s = bucket.wait_s(need)
            if oversize:
                return _refusal("too_large", bucket, need, 0.0)
            if wait_s > 0 and (worst is None or wait_s > worst.retry_s):
                worst = _refusal("rate_limit", bucket, need, wait_s)
        return worst

    def states(self, now_s: float) -> tuple[BucketState, ...]:
        """Tell where all limits stand, for the headers."""
        if not self._settings.headers:
            return ()
        for bucket in self._buckets:
            bucket.refill(now_s)
        return tuple(bucket.state() for bucket in self._buckets)


def _refusal(
    kind: Literal["rate_limit", "too_large"], bucket: SimulatedBucket, need: int, wait_s: float
) -> Refusal:
    return Refusal(
        kind=kind,
        dimension=bucket.dimension,
        limit=bucket.limit,
        used=int(bucket.limit - bucket.level),
        requested=need,
        retry_s=wait_s,
    )
