"""One trial, from its first attempt to its last: the only place that sends and that pays.

Each attempt is durable before it is sent, with the money it may cost. Its result is written before
its slot is given to anybody else, and who gets the slot waits for all that was written before. So a
kill loses at most as many calls as there are slots, and each is visible.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from tenacity import AsyncRetrying, RetryCallState, retry_if_result, stop_never

from runner.clock import Clock
from runner.engine.attempt import Flight
from runner.engine.bounds import deadlines, demand_of, reserve_for, worst_case_pusd
from runner.engine.feeder import Ready
from runner.engine.lane import Lane
from runner.engine.retry import Delay, RetryCount, next_delay
from runner.engine.rows import completion_row, prompt_row
from runner.engine.scoring import Judge
from runner.limits.demand import Grant
from runner.limits.limiter import PARK_AFTER_S, ParkedError
from runner.money.ledger import Ledger, Reservation
from runner.money.price import cost
from runner.providers.meaning.limit_words import says_concurrency
from runner.wire import Request, Result, RetryKind
from scoring.score import Reply
from state.records import FINAL, SCORED, STOPS_ACCOUNT, AttemptRow, Outcome, Row, ScoreRow, StartRow
from state.store import Store

AttemptHook = Callable[[Lane, AttemptRow], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What all trials of a sweep share."""

    sweep_id: str
    store: Store
    ledger: Ledger
    clock: Clock
    judge: Judge
    save_prompts: bool = False
    hooks: tuple[AttemptHook, ...] = ()


class TrialRun:
    """The attempts of one trial."""

    __slots__ = (
        "_context",
        "_delay",
        "_first",
        "_lane",
        "_last",
        "_n",
        "_ready",
        "_reservation",
        "_started",
        "_used",
    )

    def __init__(self, context: CallContext, lane: Lane, ready: Ready) -> None:
        self._context = context
        self._lane = lane
        self._ready = ready
        self._n = lane.attempts_before.get(ready.trial.trial_id, 0)
        self._used = RetryCount()
        self._started = context.clock.monotonic()
        self._delay: Delay | None = None
        self._first: Result | None = None
        self._last: Result | None = None
        self._reservation: Reservation | None = None

    async def run(self, reservation: Reservation | None, grant: Grant) -> None:
        """All attempts. The reservation and the grant were made for the first of them."""
        self._reservation = reservation
        try:
            self._first = await self._attempt(grant)
            if self._delay is not None:
                await self._repeat()
        finally:
            if self._reservation is not None:
                self._reservation.release()
            self._lane.window.remove(self._ready.sample.prompt)

    async def _repeat(self) -> None:
        """Hand the first result to tenacity, which drives the rest; most trials never get here."""
        retrying = AsyncRetrying(
            retry=retry_if_result(lambda _: self._delay is not None),
            wait=self._wait,
            stop=stop_never,  # the policy's bounds are in next_delay, which then gives no delay
            sleep=self._lane.sleep,
        )
        await retrying(self._next)

    def _wait(self, _state: RetryCallState) -> float:
        return 0.0 if self._delay is None else self._delay.seconds

    async def _next(self) -> Result | None:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        self._delay = None
        if self._lane.stopping or not await self._renew_reservation():
            return self._last
        try:
            grant = await self._lane.limiter.acquire(demand_of(self._ready))
        except ParkedError as parked:
            self._lane.end("parked", f"{self._lane.model.id}: {parked}")
            return self._last
        if self._lane.stopping:
            grant.release(input_tokens=0, output_tokens=0)
            return self._last
        return await self._attempt(grant)

    async def _renew_reservation(self) -> bool:
        """A new hold where the last attempt used it up; False when the lane is at its end."""
        if self._reservation is None:
            amount = worst_case_pusd(self._lane, self._ready)
            self._reservation = await reserve_for(self._context.ledger, self._lane, amount)
            if self._reservation is None:
                self._lane.end("budget", "the budget does not hold the next call")
        return self._reservation is not None and not self._lane.stopping

    async def _attempt(self, grant: Grant) -> Result:
        self._n += 1
        trial_id = self._ready.trial.trial_id
        flight = Flight(
            attempt_id=f"{trial_id}.{self._n}", trial_id=trial_id, n=self._n, grant=grant
        )
        flying = self._lane.stats.flying
        try:
            await self._begin(flight)
            flight.sent = flying[flight.attempt_id] = self._context.clock.monotonic()
            self._lane.stats.sent += 1
            flight.used_input = flight.used_output = None
            try:
                result = await self._send()
            except asyncio.CancelledError:
                # The user cancelled a call in flight: it may be billed, and its row says so.
                self._finish(flight, Result(outcome=Outcome.CANCELLED, maybe_billed=True))
                raise
            self._settle_limits(flight, result)
            self._decide(result, grant)
            self._finish(flight, result)
        finally:
            flying.pop(flight.attempt_id, None)
            grant.release(input_tokens=flight.used_input, output_tokens=flight.used_output)
        return result

    async def _begin(self, flight: Flight) -> None:
        """Make the start durable; one that is cancelled meanwhile is never sent, and says so."""
        rows = self._start_rows(flight)
        try:
            await self._context.store.append(*rows)
        except asyncio.CancelledError:
            self._finish(flight, Result(outcome=Outcome.CANCELLED, reason="unsent"))
            raise

    def _start_rows(self, flight: Flight) -> list[Row]:
        flight.started_at = self._context.clock.now_us()
        priced = self._lane.model.price is not None and self._reservation is not None
        start = StartRow(
            attempt_id=flight.attempt_id,
            trial_id=flight.trial_id,
            sweep_id=self._context.sweep_id,
            n=self._n,
            started_at=flight.started_at,
            reserved_pusd=self._reservation.amount if priced and self._reservation else None,
            input_tokens_estimate=self._ready.estimate.expected,
        )
        rows: list[Row] = [start]
        if self._n == 1:
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
        )
        limit = deadlines(self._ready.estimate.expected, cell.output_cap, stream=request.stream)
        return lane.provider.complete(request, limit)

    def _settle_limits(self, flight: Flight, result: Result) -> None:
        """Return to the limits what was not used; a refused request used nothing."""
        usage = result.usage
        if usage is not None and (total_input := usage.total_input) is not None:
            flight.used_input, flight.used_output = total_input, usage.total_output
        elif result.retry.kind is RetryKind.RATE_LIMIT:
            flight.used_input = flight.used_output = 0
        flight.grant.settle(flight.used_input, flight.used_output)

    def _decide(self, result: Result, grant: Grant) -> None:
        """What follows this result: for the trial, the lane and the account."""
        lane = self._lane
        self._last = result
        if result.hints:
            lane.limiter.learn(result.hints, grant)
        if result.outcome in SCORED:
            self._delay = None
            lane.breaker.reset()
            if lane.adaptive is not None:
                lane.limiter.slots = lane.adaptive.succeeded()
            return
        elapsed = self._context.clock.monotonic() - self._started
        self._delay = next_delay(lane.policy, self._used, result, elapsed)
        if result.outcome in STOPS_ACCOUNT:
            lane.account.stop(result.outcome, result.error or "")
        elif lane.breaker.tripped(result):
            lane.end("breaker", f"{lane.model.id}: {result.error}")
        self._steer(result, grant)

    def _steer(self, result: Result, grant: Grant) -> None:
        """Tell the lane's limits what a failure says about them."""
        lane = self._lane
        if result.retry.kind is RetryKind.RATE_LIMIT:
            self._refused(result, grant)
        if (result.retry.retry_after_s or 0.0) > PARK_AFTER_S:
            hours = (result.retry.retry_after_s or 0.0) / 3600
            lane.end("parked", f"{lane.model.id}: asked to wait {hours:.1f} h")
            self._delay = None
        elif self._delay is not None and self._delay.pauses_lane:
            lane.limiter.pause(self._delay.seconds)
        elif self._delay is None and result.outcome is Outcome.RATE_LIMITED:
            lane.end("parked", f"{lane.model.id}: still rate limited: {result.error}")

    def _refused(self, result: Result, grant: Grant) -> None:
        """A rate-limit signal: where a known rate explains it, fewer slots would only cost time."""
        lane = self._lane
        lane.stats.rate_limited += 1
        explained = lane.limiter.refused(grant)
        if lane.adaptive is not None and (not explained or says_concurrency(result)):
            lane.limiter.slots = lane.adaptive.rate_limited(result.retry.retry_after_s)

    def _is_final(self, result: Result) -> bool:
        """Whether the trial is over. A rate limit, a stop or a cancel leaves it pending."""
        if self._delay is not None or result.outcome in STOPS_ACCOUNT:
            return False
        if result.outcome in FINAL:
            return True
        return not (
            self._lane.stopping or result.outcome in (Outcome.RATE_LIMITED, Outcome.CANCELLED)
        )

    def _finish(self, flight: Flight, result: Result) -> None:
        cost_pusd, unknown = self._bill(result)
        row = flight.row(
            result,
            self._context.clock,
            cost_pusd=cost_pusd,
            unknown=unknown,
            final=self._is_final(result),
        )
        rows: list[Row] = [row]
        if completion := completion_row(flight.trial_id, flight.attempt_id, result):
            rows.append(completion)
        late = partial(self._judge, result) if result.outcome in SCORED else None
        try:
            self._context.store.enqueue(*rows, late=late)
        finally:
            self._settle(cost_pusd, unknown=unknown)
            self._count(flight, row, result)

    def _bill(self, result: Result) -> tuple[int | None, bool]:
        """(cost, whether it may have been billed without our knowing how much)."""
        if result.usage is None:
            return (None, True) if result.maybe_billed else (0, False)
        price = self._lane.model.price
        paid = None if price is None else cost(result.usage, price)
        return paid, paid is None and price is not None

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

    def _settle(self, cost_pusd: int | None, *, unknown: bool) -> None:
        if self._reservation is None:
            return
        if unknown:
            self._reservation.keep()
        elif not cost_pusd and self._delay is not None:
            return  # certainly not billed, and asked again: the hold goes with the next attempt
        else:
            self._overrun(cost_pusd or 0, self._reservation.amount)
            self._reservation.settle(cost_pusd or 0)
        self._reservation = None

    def _overrun(self, cost_pusd: int, held_pusd: int) -> None:
        """A bill above its hold is recorded as it is; no hold of this lane is so small again."""
        if cost_pusd > held_pusd > 0:
            self._lane.surcharge *= Fraction(cost_pusd, held_pusd)

    def _count(self, flight: Flight, row: AttemptRow, result: Result) -> None:
        lane = self._lane
        stats, outcome = lane.stats, str(result.outcome)
        stats.outcomes[outcome] += 1
        if row.final:
            stats.done += 1
            if result.outcome not in SCORED:
                stats.final_errors[outcome] += 1
        stats.spent_pusd += row.cost_pusd or 0
        if result.usage is not None and flight.used_input is not None:
            stats.input_tokens += flight.used_input
            stats.output_tokens += flight.used_output or 0
            lane.estimator.observe(self._ready.sample.kind, self._ready.units, flight.used_input)
        for hook in self._context.hooks:
            hook(lane, row)
