"""A whole sweep in virtual time: real plan, limits, money, engine; scripted model, memory store."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.config.sweep import SweepConfig, parse
from runner.engine.engine import Engine, SweepEnd
from runner.engine.observers.events import Event, Observer
from runner.engine.retry import RetryPolicy
from runner.models.spec import ModelSpec, resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan
from runner.plan.record import record_plan, sweep_row
from runner.rehearsal.inline import InlineExecutor
from runner.session.wiring import SweepParts, make_engine
from runner.wire import Deadlines, Request, Result, RetryDecision, RetryKind, Usage
from state.records import Outcome
from tests.fakes.memory_store import MemoryStore
from tests.fakes.virtual_loop import VirtualClock, run_virtual

USAGE = Usage(input_tokens=1000, output_tokens=10)


def answered(text: str = "an answer", usage: Usage | None = USAGE) -> Result:
    return Result(
        outcome=Outcome.ANSWERED,
        text=text,
        finish_reason="stop",
        usage=usage,
        http_status=200,
        maybe_billed=usage is None,
    )


def limited(after_s: float | None) -> Result:
    return Result(
        outcome=Outcome.RATE_LIMITED,
        http_status=429,
        error="slow down",
        retry=RetryDecision(kind=RetryKind.RATE_LIMIT, retry_after_s=after_s),
    )


def failed(
    outcome: Outcome, *, billed: bool = False, error: str = "it broke", retry: bool = True
) -> Result:
    kind = RetryKind.TRANSIENT if retry else RetryKind.NO
    return Result(
        outcome=outcome,
        error=error,
        http_status=400,
        maybe_billed=billed,
        retry=RetryDecision(kind=kind),
    )


class ScriptedProvider:
    """Answers in the order of a script, then with plain answers; remembers who asked when."""

    def __init__(self, script: Sequence[Result] = (), *, latency_s: float = 0.1) -> None:
        self._script: Iterator[Result] = iter(script)
        self.latency_s = latency_s
        self.arrivals: list[float] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.otherwise = answered()

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        self.arrivals.append(asyncio.get_running_loop().time())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self.in_flight -= 1
        return next(self._script, self.otherwise)

    async def aclose(self) -> None:
        return None


def unreached() -> Result:
    """Connection refused: nothing went out."""
    return Result(
        outcome=Outcome.TRANSIENT,
        reason="connect",
        error="ClientConnectorError: cannot connect",
        retry=RetryDecision(kind=RetryKind.TRANSIENT),
    )


def gateway(status: int) -> Result:
    """A complete error answer of a gateway with nobody behind it."""
    outcome = Outcome.OVERLOADED if status == 503 else Outcome.TRANSIENT
    kind = RetryKind.OVERLOADED if status == 503 else RetryKind.TRANSIENT
    error = f"{status} from the gateway"
    return Result(outcome=outcome, http_status=status, error=error, retry=RetryDecision(kind=kind))


class GoneProvider(ScriptedProvider):
    """Answers, but for the times at which it is gone."""

    def __init__(
        self, gone: Sequence[tuple[float, float]], fault: Result, *, latency_s: float = 0.1
    ) -> None:
        super().__init__(latency_s=latency_s)
        self._gone = gone
        self._fault = fault
        self.in_vain: list[float] = []

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        now = asyncio.get_running_loop().time()
        if any(since <= now < until for since, until in self._gone):
            self.in_vain.append(now)
            await asyncio.sleep(0.01)
            return self._fault
        return await super().complete(request, deadlines)


def make_config(text: str) -> SweepConfig:
    return parse(text, Path("sweep.toml"))


def simple_config(
    *, repeats: int = 10, budget: str | None = None, model: str = "", sweep: str = ""
) -> SweepConfig:
    """One model `compat/a` at $1 in and $1 out per million, one cell of 25 pairs."""
    cap = "" if budget is None else f'budget = "{budget}"'
    return make_config(f"""
[sweep]
name = "test"
repeats = {repeats}
{cap}
{sweep}
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
price = {{ input = 1.0, output = 1.0 }}
params = {{ max_tokens = 100 }}
{model or "limits = { concurrency = 4 }"}
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
""")


class SweepRun:
    """One run; `engine` is there for tests that stop it."""

    def __init__(
        self,
        config: SweepConfig,
        providers: Mapping[str, ScriptedProvider],
        store: MemoryStore | None = None,
        policy: RetryPolicy | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.observers = tuple(observers)
        self.config = config
        self.providers = providers
        self.store = store or MemoryStore()
        self.policy = policy or RetryPolicy()
        self.engine: Engine | None = None
        self.views: list[Any] = []
        self.events = list[Event]()

    @property
    def plan(self) -> Plan:
        return plan_sweep(self.config, resolve_all(self.config, 1_700_000_000_000_000))

    async def arun(self, *, before: Callable[[Engine], None] | None = None) -> SweepEnd:
        clock = VirtualClock()
        plan = self.plan
        row = sweep_row(self.config, plan, clock)
        await record_plan(self.store, row, plan)
        progress = self.store.progress(
            [cell.cell_id for cell in plan.cells], frozenset(), seed=self.config.seed
        )

        def provider_for(model: ModelSpec) -> ScriptedProvider:
            return self.providers[model.id]

        parts = SweepParts(
            store=self.store,
            clock=clock,
            executor=InlineExecutor(),
            provider_for=provider_for,
            view_hooks=(self.views.append,),
            observers=(self.events.append, *self.observers),
            policy=self.policy,
        )
        self.engine = make_engine(self.config, plan, row.sweep_id, progress, parts)
        if before is not None:
            before(self.engine)
        return await self.engine.run()

    def run(self) -> SweepEnd:
        return run_virtual(self.arun())
