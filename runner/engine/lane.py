"""One dispatch lane: an account and a model, with everything that is shared by its trials.

A lane ends for itself; what a provider stops for good (no credit, bad key, daily limit) ends all
lanes of its account, and nobody else's.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from runner.engine.breaker import Breaker
from runner.engine.counts import LaneStats
from runner.engine.retry import RetryPolicy
from runner.engine.window import Window
from runner.limits.limiter import Limiter
from runner.limits.slots import AdaptiveConcurrency
from runner.models.spec import ModelSpec
from runner.tokens.estimate import Estimator
from runner.wire import Provider
from state.records import Outcome


class Account:
    """One key at one base URL, and the lanes that use it."""

    __slots__ = ("_lanes", "message", "name", "stopped")

    def __init__(self, name: str) -> None:
        self.name = name
        self.stopped: Outcome | None = None
        self.message = ""
        self._lanes: list[Lane] = []

    def add(self, lane: "Lane") -> None:
        """Register a lane that must end with the account."""
        self._lanes.append(lane)

    def stop(self, outcome: Outcome, message: str) -> None:
        """The provider will not answer this account any more; its trials stay pending."""
        if self.stopped is None:
            self.stopped = outcome
            self.message = message
        for lane in self._lanes:
            lane.end("stopped", f"{self.name}: {outcome}: {message}")


@dataclass(slots=True, kw_only=True)
class Lane:
    """Collaborators and state of one account and model."""

    model: ModelSpec
    provider: Provider
    account: Account
    limiter: Limiter
    adaptive: AdaptiveConcurrency | None
    """None where the config names both the slots and a rate: there is nothing to find out."""
    estimator: Estimator
    window: Window
    stats: LaneStats
    policy: RetryPolicy
    attempts_before: Mapping[str, int]
    """trial_id to attempts of earlier runs, for trials begun and not done."""
    surcharge: Fraction | int = 1
    """How far a bill ever exceeded the worst case that was held for it."""
    breaker: Breaker = field(default_factory=Breaker)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    on_stop: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    @property
    def stopping(self) -> bool:
        """Whether nothing new may be sent."""
        return self.stop.is_set()

    def end(self, reason: str, message: str = "") -> None:
        """Send nothing new; what is in flight finishes. The first reason stands."""
        if self.stopping:
            return
        self.stats.ended = reason
        self.stats.message = message
        self.stop.set()
        for callback in self.on_stop:
            callback()

    async def sleep(self, seconds: float) -> None:
        """Sleep, or wake at once when the lane stops. Holds no slot and no tokens."""
        if seconds <= 0:
            return
        self.stats.backing_off += 1
        try:
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        except TimeoutError:
            pass
        finally:
            self.stats.backing_off -= 1
