"""Runs a sweep: all lanes side by side, one view of them, and a stop in two steps."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.engine.dispatch import Dispatcher
from runner.engine.lane import Lane
from runner.engine.trial import CallContext
from runner.engine.view import waiting_of
from runner.money.price import PUSD_PER_USD
from runner.progress.view import LaneView, SweepView
from state.records import Outcome, PendingRow

TICK_S = 0.5
RATE_WINDOW_S = 30.0
INTERRUPTED = "interrupted"
ERRORS = frozenset(
    {
        Outcome.TRANSIENT,
        Outcome.TIMEOUT,
        Outcome.OVERLOADED,
        Outcome.MALFORMED,
        Outcome.INVALID_REQUEST,
        Outcome.TOO_LARGE_FOR_TIER,
    }
)
"""Outcomes that say something about the road to the model, not about the model."""

ViewHook = Callable[[SweepView], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepEnd:
    """How a sweep ended."""

    view: SweepView
    pending: int
    errors: Counter[str]
    interrupted: bool
    messages: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of `runner sweep`."""
        ends = {lane.ended for lane in self.view.lanes}
        if self.interrupted:
            return 130
        if ends & {"stopped", "parked", "breaker"}:
            return 4
        if "budget" in ends:
            return 3
        return 5 if self.errors else 0


class Engine:
    """One run of a sweep."""

    def __init__(
        self,
        *,
        name: str,
        context: CallContext,
        lanes: Sequence[tuple[Lane, Dispatcher]],
        hooks: Sequence[ViewHook] = (),
        tick_s: float = TICK_S,
    ) -> None:
        self._name = name
        self._context = context
        self._lanes = [lane for lane, _ in lanes]
        self._dispatchers = [dispatcher for _, dispatcher in lanes]
        self._hooks = tuple(hooks)
        self._tick_s = tick_s
        self._started = context.clock.monotonic()
        self._history: deque[tuple[float, dict[str, tuple[int, int]]]] = deque()
        self._main: asyncio.Task[object] | None = None
        self._state = "running"

    async def run(self) -> SweepEnd:
        """Everything that can be done now. Raises StoreError when facts cannot be kept."""
        self._main = asyncio.current_task()
        self._started = self._context.clock.monotonic()
        async with asyncio.TaskGroup() as group:
            ticker = group.create_task(self._tick(), name="progress")
            try:
                await self._run_lanes()
            finally:
                ticker.cancel()
        await self._record_pending()
        interrupted = self._state != "running"
        self._state = "ended"
        view = self.view()
        self._show(view)
        return self._end(view, interrupted=interrupted)

    async def _run_lanes(self) -> None:
        try:
            async with asyncio.TaskGroup() as lanes:
                for lane, dispatcher in zip(self._lanes, self._dispatchers, strict=True):
                    lanes.create_task(dispatcher.run(), name=f"lane {lane.model.id}")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._state != "cancelling" or task is None:
                raise
            task.uncancel()

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for."""
        return self._state != "running"

    def drain(self) -> None:
        """First step of stopping: send nothing new, let calls in flight finish."""
        if self._state == "ended":
            return
        if self._state == "running":
            self._state = "draining"
        for lane in self._lanes:
            lane.end(INTERRUPTED)

    def cancel(self) -> None:
        """Second step: end calls in flight too; each is recorded as possibly billed."""
        if self._state not in ("cancelling", "ended") and self._main is not None:
            self.drain()
            self._state = "cancelling"
            self._main.cancel()

    async def _tick(self) -> None:
        while True:
            self._show(self.view())
            await asyncio.sleep(self._tick_s)

    def _show(self, view: SweepView) -> None:
        for hook in self._hooks:
            hook(view)

    async def _record_pending(self) -> None:
        at = self._context.clock.now_us()
        rows = [
            PendingRow(
                sweep_id=self._context.sweep_id,
                model=lane.model.id,
                outcome=f"{Outcome.PENDING}:{lane.stats.ended}",
                trials=lane.stats.left,
                at=at,
            )
            for lane in self._lanes
            if lane.stats.left > 0
        ]
        # Also without rows: the sweep ends when all it has written is durable.
        await self._context.store.append(*rows)

    def view(self) -> SweepView:
        """This moment, for people."""
        now = self._context.clock.monotonic()
        rates = self._rates(now)
        ledger = self._context.ledger.statistics()
        return SweepView(
            name=self._name,
            elapsed_s=now - self._started,
            lanes=tuple(self._lane_view(lane, now, rates) for lane in self._lanes),
            budget_usd=None if ledger.budget is None else ledger.budget / PUSD_PER_USD,
            spent_usd=ledger.committed / PUSD_PER_USD,
            held_usd=ledger.held / PUSD_PER_USD,
            state=self._state,
        )

    def _rates(self, now: float) -> dict[str, tuple[float, float]]:
        """Trials and tokens per second of each lane over the last half minute."""
        counts = {
            lane.model.id: (lane.stats.done, lane.stats.input_tokens + lane.stats.output_tokens)
            for lane in self._lanes
        }
        self._history.append((now, counts))
        while now - self._history[0][0] > RATE_WINDOW_S:
            self._history.popleft()
        then, before = self._history[0]
        seconds = max(now - then, 1e-9)
        return {
            model: ((done - before[model][0]) / seconds, (tokens - before[model][1]) / seconds)
            for model, (done, tokens) in counts.items()
        }

    def _lane_view(self, lane: Lane, now: float, rates: dict[str, tuple[float, float]]) -> LaneView:
        stats, limits = lane.stats, lane.limiter.statistics()
        per_s, tokens_per_s = rates[lane.model.id]
        oldest = next(iter(stats.flying.values()), now)
        return LaneView(
            model=lane.model.id,
            planned=stats.planned,
            done=stats.done_before + stats.done,
            in_flight=len(stats.flying),
            oldest_s=now - oldest,
            waiting=waiting_of(lane, limits.binding),
            waiting_s=limits.paused_s,
            backing_off=stats.backing_off,
            rate_limited=stats.rate_limited,
            errors={
                outcome: count
                for outcome, count in stats.outcomes.items()
                if outcome not in (Outcome.ANSWERED, Outcome.TRUNCATED)
            },
            tokens_per_s=tokens_per_s,
            per_s=per_s,
            spent_usd=stats.spent_pusd / PUSD_PER_USD,
            eta_s=stats.left / per_s if per_s > 0 and not stats.ended else None,
            ended=stats.ended,
            message=stats.message,
        )

    def _end(self, view: SweepView, *, interrupted: bool) -> SweepEnd:
        errors: Counter[str] = Counter()
        for lane in self._lanes:
            errors.update({o: n for o, n in lane.stats.final_errors.items() if o in ERRORS})
        return SweepEnd(
            view=view,
            pending=sum(lane.stats.left for lane in self._lanes),
            errors=errors,
            interrupted=interrupted,
            messages=tuple(
                dict.fromkeys(m for m in (lane.stats.message for lane in self._lanes) if m)
            ),
        )
