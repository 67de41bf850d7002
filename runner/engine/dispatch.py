"""Sends one lane's trials: prompt, money, limits, then a task of its own for each.

The dispatcher waits for one trial at a time, so admission is in plan order; what has been admitted
runs on its own and is never touched by what happens to the queue.
"""

import asyncio

from msgspec.structs import replace

from runner.engine.bounds import demand_of, reserve_for, worst_case_pusd
from runner.engine.feeder import Feeder, Ready, Unready
from runner.engine.lane import Lane
from runner.engine.rows import unready_row, unsent_row
from runner.engine.trial import CallContext, TrialRun
from runner.limits.limiter import ParkedError
from runner.plan.cell import Trial
from runner.plan.fit import fits
from state.records import Outcome, TrialRow

BUDGET = "budget"
DONE = "done"


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
                    self._dispatch(trials), name=f"dispatch {lane.model.id}"
                )
        finally:
            await self._feeder.aclose()
        if not lane.stopping:
            lane.end(DONE)

    def _halt(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _dispatch(self, trials: asyncio.TaskGroup) -> None:
        async for item in self._feeder:
            if isinstance(item, Unready):
                reason = f"{Outcome.INVALID_REQUEST}:prompt"
                self._skip(item.trial, unready_row(item.trial), reason, item.reason)
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
        reservation = None
        try:
            amount = worst_case_pusd(lane, item)
            reservation = await reserve_for(self._context.ledger, lane, amount)
            if reservation is None:
                lane.window.remove(item.sample.prompt)
                lane.end(BUDGET, "the budget does not hold the next call")
                return False
            grant = await lane.limiter.acquire(demand_of(item))
        except (asyncio.CancelledError, ParkedError) as stopped:
            if reservation is not None:
                reservation.release()
            lane.window.remove(item.sample.prompt)
            if isinstance(stopped, asyncio.CancelledError):
                raise
            lane.end("parked", f"{lane.model.id}: {stopped}")
            return False
        if lane.adaptive is not None:
            lane.adaptive.acquired(lane.limiter.in_use)
        trials.create_task(TrialRun(self._context, lane, item).run(reservation, grant))
        return True

    def _skip(self, trial: Trial, row: TrialRow, outcome: str, error: str) -> None:
        """Record a trial that can never be sent; it costs nothing and is done."""
        at = self._context.clock.now_us()
        attempt = unsent_row(trial, at, outcome, error)
        self._context.store.enqueue(row, attempt)
        self._lane.stats.done += 1
        self._lane.stats.outcomes[outcome.partition(":")[0]] += 1
        self._lane.stats.final_errors[outcome.partition(":")[0]] += 1
        for hook in self._context.hooks:
            hook(self._lane, attempt)
