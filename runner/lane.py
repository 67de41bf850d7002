"""One dispatch lane: an account and a model, with everything that is shared by its trials.

A lane ends for itself; what a provider stops for good (no credit, bad key, daily limit) ends all
lanes of its account, and nobody else's.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from runner.adaptive import AdaptiveConcurrency
from runner.estimate import Estimator
from runner.limits import Limiter
from runner.models import ModelSpec
from runner.retry import RetryPolicy
from runner.stats import LaneStats
from runner.window import Window
from runner.wire import Provider, Result
from state.records import Outcome

BREAKER_AFTER = 8
"""Identical invalid requests in a row, with nothing else between, that stop a model."""


class Breaker:
    """Trips when a model refuses one request after another for the same reason."""

    __slots__ = ("_count", "_reason")

    def __init__(self) -> None:
        self._count = 0
        self._reason = ""

    def reset(self) -> None:
        """Something else came between."""
        self._count = 0

    def tripped(self, result: Result) -> bool:
        """Whether this result completes a row of identical refusals."""
        if result.outcome is not Outcome.INVALID_REQUEST:
            self.reset()
            return False
        reason = _shape(f"{result.http_status} {result.error}")
        self._count = self._count + 1 if reason == self._reason else 1
        self._reason = reason
        return self._count >= BREAKER_AFTER


def _shape(text: str) -> str:
    """The text without its digits: request ids and token counts differ, the reason does not."""
    return "".join("#" if char.isdigit() else char for char in text)


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
