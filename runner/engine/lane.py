"""One dispatch lane: an account and a model, with everything that is shared by its trials.

A lane ends for itself; what a provider stops for good (no credit, bad key, daily limit) ends all
lanes of its account, and nobody else's.
"""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

from runner.engine.breaker import STARVED_AFTER, Breaker, Starvation
from runner.engine.gate import Gate
from runner.engine.observers.counts import LaneStats
from runner.engine.observers.events import (
    Event,
    LaneEnded,
    Observer,
    OutageBegun,
    OutageOver,
    Waits,
)
from runner.engine.outage import OF_AN_OUTAGE, Contact, Outage, contact_of
from runner.engine.retry import Again, Blame, Ends, Next, RetryPolicy, Scope
from runner.engine.trouble import Trouble
from runner.engine.window import Window
from runner.limits.demand import Demand, Grant
from runner.limits.limiter import Limiter, ParkedError
from runner.models.spec import ModelSpec
from runner.models.thinking import LEAST_CAP, starved
from runner.plan.cell import Cell, size_of
from runner.progress.states import LaneEnd, Wait
from runner.terminal.words import duration
from runner.tokens.estimate import Estimator
from runner.wire import Provider, Result, RetryKind
from state.records import SCORED, Outcome


class Account:
    """One key at one base URL, and the lanes that use it."""

    __slots__ = ("_lanes", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._lanes: list[Lane] = []

    def add(self, lane: "Lane") -> None:
        """Register a lane that must end with the account."""
        self._lanes.append(lane)

    def end(self, end: LaneEnd, message: str) -> None:
        """The provider will not answer this account any more; its trials stay pending."""
        for lane in self._lanes:
            lane.end(end, f"{self.name}: {message}")


SHORT_S = 5.0
"""Longer waits that are asked for hold up everybody, whoever is asked."""
GONE_S = 30.0
"""An endpoint that was gone for longer did not refuse for a rate."""
PATIENCE_S = 1800.0
"""How long an endpoint may be gone before the lane ends, where nobody says otherwise."""


@dataclass(slots=True, kw_only=True)
class Lane:
    """Collaborators and state of one account and model."""

    model: ModelSpec
    provider: Provider
    account: Account
    limiter: Limiter
    estimator: Estimator
    window: Window
    stats: LaneStats
    policy: RetryPolicy
    attempts_before: Mapping[str, int]
    """trial_id to attempts of earlier runs, for trials begun and not done."""
    observers: tuple[Observer, ...] = ()
    """Who is told what happens, after the lane's own counts."""
    trouble: Trouble = field(default_factory=Trouble)
    surcharge: Fraction | int = 1
    """The most that a bill ever was of its call's worst case, where that was exceeded."""
    gate: Gate = field(default_factory=lambda: Gate(Outage(PATIENCE_S)))
    """Where calls wait while the endpoint is gone."""
    breaker: Breaker = field(default_factory=Breaker)
    starvation: Starvation = field(default_factory=Starvation)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    on_stop: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    @property
    def stopping(self) -> bool:
        """Whether nothing new may be sent."""
        return self.stop.is_set()

    @property
    def outage(self) -> Outage:
        """Whether the endpoint is gone, and for how long."""
        return self.gate.outage

    def tell(self, event: Event) -> None:
        """Count what happened, and let the observers know."""
        self.stats.take(event)
        for observer in self.observers:
            try:
                observer(event)
            except Exception as error:  # noqa: BLE001  whoever looks on must not end a paid call
                self.trouble.met(error)

    def end(self, end: LaneEnd, message: str = "") -> None:
        """Send nothing new; what is in flight finishes. The first reason stands."""
        if self.stopping:
            return
        self.stop.set()
        self.tell(LaneEnded(self.model.id, end, message))
        for callback in self.on_stop:
            callback()
        self.gate.open_wide()

    async def admitted(self, demand: Demand) -> Grant | None:
        """Leave to send one request; None where that is hours away, or the lane has ended.

        Who waited for the limits when the endpoint went away gives the leave back, and waits for
        the endpoint first.
        """
        while not self.stopping:
            is_probe = await self._turn()
            if self.stopping:
                return None
            try:
                grant = await self.limiter.acquire(demand)
            except ParkedError as parked:
                self.end(LaneEnd.PARKED, f"{self.model.id}: {parked}")
                return None
            if is_probe or not self.outage.open or self.stopping:
                return grant
            grant.hand_back()
        return None

    async def _turn(self) -> bool:
        """Wait while the endpoint is gone; whether the call that goes out then is the probe."""
        if not self.outage.open:
            return False
        with self.waiting(Wait.OUTAGE):
            await self.gate.turn()
        return self.outage.open

    def reached(self, result: Result, grant: Grant, failed_at: float | None) -> Blame:
        """Learn whether the endpoint is there; `failed_at` is when the trial failed before.

        What the result says of the trial: a failure of the way to the endpoint says nothing, nor
        does one that all calls meet.
        """
        contact, outage = contact_of(result), self.outage
        broke_again = contact is Contact.BROKEN and failed_at is not None
        suspect = broke_again and outage.answered_at >= (failed_at or 0.0)
        self._learn(contact, result, grant, suspect=suspect)
        if outage.open and result.outcome in OF_AN_OUTAGE:
            return Blame.OUTAGE
        if contact is Contact.UNREACHED or (broke_again and not suspect):
            return Blame.WAY
        return Blame.TRIAL

    def _learn(self, contact: Contact, result: Result, grant: Grant, *, suspect: bool) -> None:
        """Take how a call came back, and say so when the endpoint goes or comes back."""
        outage, now = self.outage, asyncio.get_running_loop().time()
        was_open, lasted_s = outage.open, outage.lasted_s(now)
        self.gate.take(contact, grant.at, suspect=suspect)
        if outage.open is was_open:
            return
        if was_open:
            told = f"answers again, after {duration(lasted_s)}"
            self.tell(OutageOver(self.model.id, told))
            if lasted_s > GONE_S:
                self.limiter.forget_refusals()
        else:
            told = f"no answer ({result.error}); waiting for it up to {duration(outage.patience_s)}"
            self.tell(OutageBegun(self.model.id, told))

    def heed(self, result: Result, grant: Grant, step: Next) -> None:
        """Act on what a result means for all calls of the lane, and of its account."""
        self._tell_limiter(result, grant)
        self._end_if_over_patience(result)
        match step:
            case Again(pauses_lane=True):
                # One refusal among a hundred answers is its own trial's to wait for.
                if step.delay_s > SHORT_S or not self.limiter.is_chance(grant):
                    self.limiter.pause(step.delay_s)
            case Ends(scope=Scope.ACCOUNT):
                self.account.end(step.end, step.message)
            case Ends():
                self.end(step.end, f"{self.model.id}: {step.message}")
            case _:
                pass
        if self.breaker.trips(result):
            self.end(LaneEnd.BREAKER, f"{self.model.id}: {result.error}")

    def replied(self, result: Result, cell: Cell) -> None:
        """End where reply after reply to one kind of cell is thinking that was cut off."""
        if not self.starvation.minds(result.outcome):
            return  # before any name is made, since this is asked for each call
        task = cell.task.name
        if self.starvation.trips(result.outcome, task, f"{task} {size_of(cell):g}"):
            why = starved(cell.output_cap, max(LEAST_CAP, 4 * cell.output_cap))
            replies = f"{STARVED_AFTER} replies to {task} in a row held no text"
            self.end(LaneEnd.BREAKER, f"{self.model.id}: {replies}: {why}")

    def _end_if_over_patience(self, result: Result) -> None:
        now = asyncio.get_running_loop().time()
        if self.outage.is_over_patience(now):
            gone = duration(self.outage.lasted_s(now))
            self.end(LaneEnd.OUTAGE, f"{self.model.id}: no answer for {gone}: {result.error}")

    def _tell_limiter(self, result: Result, grant: Grant) -> None:
        """Tell how a request came back; only refusals say that it was too much."""
        if result.outcome in SCORED:
            self.limiter.answered(grant, result.usage, result.hints)
        elif result.retry.kind is RetryKind.RATE_LIMIT:
            self.limiter.refused(grant, result.retry, result.hints)
        elif result.outcome is Outcome.OVERLOADED and result.retry.retry_after_s is None:
            self.limiter.turned_away(grant)  # nginx's limits say 503 and no more
        else:
            self.limiter.failed(grant, result.usage, result.hints)

    def billed(self, cost_pusd: int, worst_case_pusd: int) -> None:
        """Learn from a bill; one above its worst case makes the later holds as much larger.

        The largest counts, once: calls in flight overrun together, and for one reason.
        """
        if cost_pusd > worst_case_pusd > 0:
            self.surcharge = max(self.surcharge, Fraction(cost_pusd, worst_case_pusd))

    @contextmanager
    def waiting(self, wait: Wait) -> Generator[None]:
        """Say that one call waits meanwhile."""
        self.tell(Waits(self.model.id, wait, begun=True))
        try:
            yield
        finally:
            self.tell(Waits(self.model.id, wait, begun=False))

    async def sleep(self, seconds: float) -> None:
        """Sleep, or wake at once when the lane stops. Holds no slot and no tokens."""
        if seconds <= 0:
            return
        with self.waiting(Wait.BACKOFF):
            try:
                async with asyncio.timeout(seconds):
                    await self.stop.wait()
            except TimeoutError:
                pass
