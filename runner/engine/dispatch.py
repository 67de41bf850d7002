"""Sends one lane's trials: prompt, money, limits, then a task of its own for each.

The dispatcher waits for one trial at a time, so admission is in plan order; what has been admitted
runs on its own and is never touched by what happens to the queue.
"""

import asyncio

from msgspec.structs import replace

from runner.engine.attempt import unsent_row
from runner.engine.bounds import demand_of
from runner.engine.feeder import Feeder, Ready, Unready
from runner.engine.hold import Hold
from runner.engine.lane import Lane
from runner.engine.observers.events import Skipped
from runner.engine.trial import CallContext, TrialRun
from runner.plan.cell import Trial
from runner.plan.fit import fits
from runner.plan.rows import unready_row
from runner.progress.states import LaneEnd
from state.records import Outcome, TrialRow, outcome_of


class Dispatcher:
    """Drives one lane to its end."""

    __slots__ = ("_context", "_feeder", "_lane", "_task")

    def __init__(self, context: CallContext, lane: Lane, feeder: Feeder) -> None:
        self._context = context
        self._lane = lane
        self._feeder = feeder
        self._task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Until nothing is left to send and nothing is in flight."""
        lane = self._lane
        lane.on_stop.append(self._halt)
        try:
            async with asyncio.TaskGroup() as trials:
                self._task = trials.create_task(
                    self._watched(trials), name=f"dispatch {lane.model.id}"
                )
        finally:
            await self._feeder.aclose()
        lane.end(LaneEnd.DONE)

    def _halt(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watched(self, trials: asyncio.TaskGroup) -> None:
        try:
            await self._dispatch(trials)
        except Exception as error:  # noqa: BLE001  as in a trial: what is in flight comes back
            self._context.trouble.met(error)

    async def _dispatch(self, trials: asyncio.TaskGroup) -> None:
        async for item in self._feeder:
            if isinstance(item, Unready):
                outcome = f"{Outcome.INVALID_REQUEST}:prompt"
                self._skip(item.trial, unready_row(item.trial), outcome, item.reason)
                continue
            item = self._fresh(item)  # noqa: PLW2901  the same trial, better known
            model = self._lane.model
            if not fits(model, item.estimate):
                tokens, window = item.estimate.expected, model.context_window
                error = f"about {tokens} tokens, the window holds {window}"
                self._skip(item.trial, item.row, str(Outcome.OVER_CONTEXT), error)
                self._lane.window.remove(item.sample.prompt)
                continue
            if not await self._send(item, trials):
                return

    def _fresh(self, item: Ready) -> Ready:
        """The trial as estimated now: its prompt was made ahead, and bills came in meanwhile."""
        estimator, sample = self._lane.estimator, item.sample
        if not estimator.is_new_to(sample.kind):
            return item
        return replace(item, estimate=estimator.estimate(sample, item.units))

    async def _send(self, item: Ready, trials: asyncio.TaskGroup) -> bool:
        """Reserve, wait for admission, start; False when the lane is at its end."""
        lane = self._lane
        hold = Hold(self._context.ledger, lane, item)
        grant = None
        try:
            if await hold.taken():
                grant = await lane.admitted(demand_of(item))
        finally:
            if grant is None:
                hold.release()
                lane.window.remove(item.sample.prompt)
        if grant is None:
            return False
        trials.create_task(TrialRun(self._context, lane, item, hold).run(grant))
        return True

    def _skip(self, trial: Trial, row: TrialRow, outcome: str, error: str) -> None:
        """Record a trial that can never be sent; it costs nothing and is done."""
        attempt = unsent_row(trial, self._context.clock.now_us(), outcome, error)
        self._context.store.enqueue(row, attempt)
        self._lane.tell(Skipped(self._lane.model.id, attempt, outcome_of(outcome)))
