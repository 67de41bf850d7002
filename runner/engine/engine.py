"""Runs a sweep: all lanes side by side, one view of them, and a stop in two steps."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from runner.engine.dispatch import Dispatcher
from runner.engine.lane import Lane
from runner.engine.trial import CallContext
from runner.engine.view import Views
from runner.progress.states import LaneEnd, RunState
from runner.progress.view import SweepView
from state.records import ERRORS, Outcome, PendingRow
from state.store import StoreError

TICK_S = 0.5
EXIT_CODES: Mapping[LaneEnd, int] = {
    LaneEnd.STOPPED: 4,
    LaneEnd.PARKED: 4,
    LaneEnd.BREAKER: 4,
    LaneEnd.OUTAGE: 4,
    LaneEnd.BUDGET: 3,
}
"""Of the lanes that did not come to their end; the largest one counts."""

NO_ERRORS: Mapping[str, int] = {}

ViewHook = Callable[[SweepView], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepEnd:
    """How a sweep ended."""

    view: SweepView
    pending: int
    errors: Counter[str]
    """Planned trials that stand in an error, of this run and of earlier ones, by outcome."""
    interrupted: bool
    messages: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of `runner sweep`."""
        if self.interrupted:
            return 130
        ends = [lane.ended for lane in self.view.lanes]
        code = max((EXIT_CODES.get(end, 0) for end in ends if end is not None), default=0)
        return code or (5 if self.errors else 0)


class Engine:
    """One run of a sweep."""

    def __init__(
        self,
        *,
        name: str,
        context: CallContext,
        lanes: Sequence[tuple[Lane, Dispatcher]],
        hooks: Sequence[ViewHook] = (),
        standing_errors: Mapping[str, int] = NO_ERRORS,
        tick_s: float = TICK_S,
    ) -> None:
        """`standing_errors` are planned trials that earlier runs left in an error, by outcome."""
        self._context = context
        self._lanes = [lane for lane, _ in lanes]
        self._dispatchers = [dispatcher for _, dispatcher in lanes]
        self._hooks = tuple(hooks)
        self._standing_errors = standing_errors
        self._tick_s = tick_s
        self._started = context.clock.monotonic()
        self._views = Views(name, self._lanes, context.ledger)
        self._main: asyncio.Task[object] | None = None
        self._state = RunState.RUNNING
        context.trouble.stop = self.drain

    async def run(self) -> SweepEnd:
        """Everything that can be done now.

        Raises what went wrong behind the calls, StoreError when facts cannot be kept, once all that
        was in flight has come back.
        """
        self._main = asyncio.current_task()
        self._started = self._context.clock.monotonic()
        async with asyncio.TaskGroup() as group:
            ticker = group.create_task(self._tick(), name="progress")
            try:
                await self._run_lanes()
            finally:
                ticker.cancel()
        self._main = None  # nothing is left to cancel
        await self._record_pending()
        if self._context.trouble.first is not None:
            raise self._context.trouble.first
        interrupted = self.stopping
        self._state = RunState.ENDED
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
            if self._state is not RunState.CANCELLING or task is None:
                raise
            task.uncancel()

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for."""
        return self._state is not RunState.RUNNING

    def drain(self) -> None:
        """First step of stopping: send nothing new, let calls in flight finish."""
        if self._state is RunState.ENDED:
            return
        if self._state is RunState.RUNNING:
            self._state = RunState.DRAINING
        for lane in self._lanes:
            lane.end(LaneEnd.INTERRUPTED)

    def cancel(self) -> None:
        """Second step: end calls in flight too; each is recorded as possibly billed."""
        if self._state in (RunState.CANCELLING, RunState.ENDED):
            return
        if self._main is not None:
            self.drain()
            self._state = RunState.CANCELLING
            self._main.cancel()

    async def _tick(self) -> None:
        while True:
            try:
                self._show(self.view())
            except Exception as error:  # noqa: BLE001  whoever looks on must not end the calls
                self._context.trouble.met(error)
            if (failure := self._context.store.failure) is not None:
                self._context.trouble.met(failure)
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
        try:
            # Also without rows: the sweep ends when all it has written is durable.
            await self._context.store.append(*rows)
        except StoreError as error:
            self._context.trouble.met(error)

    def view(self) -> SweepView:
        """This moment, for people."""
        return self._views.at(self._context.clock.monotonic(), self._started, self._state)

    def _end(self, view: SweepView, *, interrupted: bool) -> SweepEnd:
        errors: Counter[str] = Counter(self._standing_errors)
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
