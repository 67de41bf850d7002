"""One trial, from its first attempt to its last: the only place that sends and that pays.

Each attempt is durable before it is sent, with the money it may cost. Its result is written before
its slot is given to anybody else, and who gets the slot waits for all that was written before. So a
kill loses at most as many calls as there are slots, and each is visible.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from functools import partial

from runner.clock import Clock
from runner.engine.attempt import Attempt, completion_row
from runner.engine.bounds import deadlines, demand_of
from runner.engine.feeder import Ready
from runner.engine.hold import Hold, charge_of
from runner.engine.lane import Lane
from runner.engine.observers.events import Ended, Sent
from runner.engine.outage import OF_AN_OUTAGE
from runner.engine.retry import LEFT, Again, Blame, Next, Over, RetryCount, decide
from runner.engine.scoring import Judge
from runner.engine.trouble import Trouble
from runner.limits.demand import Grant
from runner.money.ledger import Ledger
from runner.plan.rows import prompt_row
from runner.tokens.cut import unless_cut
from runner.wire import Request, Result, RetryKind
from scoring.score import Reply
from state.records import FINAL, SCORED, AttemptRow, Outcome, Row, ScoreRow, StartRow
from state.store import Store

UNSENT = Result(outcome=Outcome.CANCELLED, reason="unsent")
IN_FLIGHT = Result(outcome=Outcome.CANCELLED, maybe_billed=True)
"""What becomes of an attempt that the user cancels, before it was sent and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What all trials of a sweep share."""

    sweep_id: str
    store: Store
    ledger: Ledger
    clock: Clock
    judge: Judge
    save_prompts: bool = False
    trouble: Trouble = field(default_factory=Trouble)
    """Where errors go that are no trial's: they must not cancel calls that are paid for."""


class TrialRun:
    """The attempts of one trial."""

    __slots__ = (
        "_context",
        "_failed_at",
        "_hold",
        "_lane",
        "_n",
        "_ready",
        "_started",
        "_used",
    )

    def __init__(self, context: CallContext, lane: Lane, ready: Ready, hold: Hold) -> None:
        self._context = context
        self._lane = lane
        self._ready = ready
        self._hold = hold
        self._n = lane.attempts_before.get(ready.trial.trial_id, 0)
        self._used = RetryCount()
        self._failed_at: float | None = None
        """When this trial last met a failure that others might have met."""
        self._started = context.clock.monotonic()

    async def run(self, grant: Grant) -> None:
        """All attempts. The hold and the grant were taken for the first of them."""
        try:
            step = await self._attempt(grant)
            while isinstance(step, Again):
                self._used = step.used
                leave = await self._leave(step.delay_s)
                if leave is None:
                    return
                step = await self._attempt(leave)
        except Exception as error:  # noqa: BLE001  raised by the engine when all has come back
            self._context.trouble.met(error)
        finally:
            self._hold.release()
            self._lane.window.remove(self._ready.sample.prompt)

    async def _leave(self, delay_s: float) -> Grant | None:
        """Leave to send the next attempt, after a while; None where the lane ends before."""
        lane = self._lane
        await lane.sleep(delay_s)
        if lane.stopping or not await self._hold.taken() or lane.stopping:
            return None
        grant = await lane.admitted(demand_of(self._ready))
        if grant is not None and lane.stopping:
            grant.release(input_tokens=0, output_tokens=0)
            return None
        return grant

    async def _attempt(self, grant: Grant) -> Next:
        """Send once, and say what follows."""
        self._n += 1
        trial_id = self._ready.trial.trial_id
        attempt = Attempt(
            attempt_id=f"{trial_id}.{self._n}",
            trial_id=trial_id,
            n=self._n,
            grant=grant,
            started_at=self._context.clock.now_us(),
        )
        try:
            await self._context.store.append(*self._start_rows(attempt))
            attempt.sent = self._context.clock.monotonic()
            self._lane.tell(Sent(self._lane.model.id, attempt.attempt_id, attempt.sent))
            result = unless_cut(await self._send(), self._ready.estimate)
            step = self._decide(result, grant)
            self._finish(attempt, result, step)
        except asyncio.CancelledError:
            # The user cancelled. What was in flight may be billed, and its row says so; what was
            # still being made durable is never sent.
            self._finish(attempt, UNSENT if attempt.sent is None else IN_FLIGHT, LEFT)
            raise
        finally:
            unused = 0 if attempt.sent is None else None
            grant.release(input_tokens=unused, output_tokens=unused)
        return step

    def _start_rows(self, attempt: Attempt) -> list[Row]:
        start = StartRow(
            attempt_id=attempt.attempt_id,
            trial_id=attempt.trial_id,
            sweep_id=self._context.sweep_id,
            n=attempt.n,
            started_at=attempt.started_at,
            reserved_pusd=self._hold.priced_pusd,
            input_tokens_estimate=self._ready.estimate.expected,
        )
        rows: list[Row] = [start]
        if attempt.n == 1:
            rows.append(self._ready.row)
            if self._context.save_prompts:
                rows.append(prompt_row(self._ready.trial, self._ready.sample))
        return rows

    def _send(self) -> Awaitable[Result]:
        lane, cell = self._lane, self._ready.trial.cell
        request = Request(
            model=lane.model.name,
            prompt=self._ready.sample.prompt,
            params=cell.params,
            stream=lane.model.stream,
            api_version=lane.model.api_version,
            inline_reasoning=lane.model.inline_reasoning,
        )
        limit = deadlines(self._ready.estimate.expected, cell.output_cap, stream=request.stream)
        return lane.provider.complete(request, limit)

    def _decide(self, result: Result, grant: Grant) -> Next:
        """What follows this result for the trial; the lane acts on what it means for all."""
        elapsed_s = self._context.clock.monotonic() - self._started
        blame = self._lane.reached(result, grant, self._failed_at)
        if result.outcome in OF_AN_OUTAGE:
            self._failed_at = asyncio.get_running_loop().time()
        if blame is not Blame.TRIAL:
            self._started += elapsed_s  # its time begins anew: it was the way's until now
        step = decide(result, self._used, self._lane.policy, elapsed_s, blame)
        self._lane.heed(result, grant, step)
        self._lane.replied(result, self._ready.trial.cell)
        return step

    def _is_final(self, result: Result, step: Next) -> bool:
        """Whether the trial is done. A lane that stops leaves errors for a later run."""
        if not isinstance(step, Over) or not step.final:
            return False
        return result.outcome in FINAL or not self._lane.stopping

    def _finish(self, attempt: Attempt, result: Result, step: Next) -> None:
        """Write how an attempt ended, pay for it, and tell whoever wants to know."""
        model = self._lane.model
        bill = charge_of(result, model.price, bills_errors=model.bills_errors)
        final = self._is_final(result, step)
        row = attempt.row(result, self._context.clock, bill, final=final)
        rows: list[Row] = [row]
        if completion := completion_row(attempt.trial_id, attempt.attempt_id, result):
            rows.append(completion)
        late = partial(self._judge, result) if result.outcome in SCORED else None
        try:
            self._context.store.enqueue(*rows, late=late)
        finally:
            self._hold.settle(bill, asked_again=isinstance(step, Again))
            self._tell(row, result)

    def _judge(self, result: Result) -> tuple[ScoreRow, ...]:
        """What the reply is worth; found off the loop, which has calls to send."""
        trial = self._ready.trial
        reply = Reply(
            text=result.text,
            reasoning_text=result.reasoning_text,
            truncated=result.outcome is Outcome.TRUNCATED,
        )
        task = trial.cell.task.name
        score = self._context.judge(trial.trial_id, task, reply, self._ready.sample.target)
        return () if score is None else (score,)

    def _tell(self, row: AttemptRow, result: Result) -> None:
        lane, usage = self._lane, result.usage
        read = None if usage is None else usage.total_input
        if read is not None and result.outcome is not Outcome.OVER_CONTEXT:  # a cut prompt's bill
            lane.estimator.observe(self._ready.sample.kind, self._ready.units, read)
        lane.tell(
            Ended(
                lane.model.id,
                row,
                result.outcome,
                result.retry.kind is RetryKind.RATE_LIMIT,
                read or 0,
                0 if usage is None or read is None else usage.total_output or 0,
            )
        )
