"""A whole sweep against the simulator in virtual time: real limits, money, formats, retries."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from runner.config.sweep import SweepConfig
from runner.engine.engine import Engine, SweepEnd
from runner.engine.retry import RetryPolicy
from runner.providers.catalog import connect
from runner.providers.http.answer import Answer
from runner.providers.http.faults import Fault
from runner.providers.http.transport import Outgoing, Transport
from runner.rehearsal.in_process import SimulatorTransport
from runner.simulator.core import Simulator
from runner.simulator.spec.settings import SimulatorSettings
from runner.simulator.timeline import Timeline
from runner.simulator.traffic.audit import LogEntry
from runner.wire import Deadlines, Provider, Request, Result, TooMuch
from state.records import AttemptRow
from tests.fakes.memory_store import MemoryStore
from tests.fakes.simulator import make_settings
from tests.fakes.sweeps import SweepRun, make_config
from tests.fakes.virtual_loop import VirtualClock, run_virtual

BASE_URLS = {
    "openai": "http://127.0.0.1:9/v1",
    "compat": "http://127.0.0.1:9/v1",
    "anthropic": "http://127.0.0.1:9",
    "google": "http://127.0.0.1:9",
}
STEADY = {"first_token_s": 1.0, "per_token_s": 0.01, "sigma": 0.3}
"""A reply takes about a second."""


def one_model(
    model: str = "",
    *,
    provider: str = "compat",
    repeats: int = 1000,
    size: str = "1000",
    budget: str | None = None,
    max_tokens: int = 100,
) -> SweepConfig:
    """One model at $1 in and $2 out per million; `model` are further lines of its table."""
    cap = "" if budget is None else f'budget = "{budget}"'
    price = "" if "price =" in model else "price = { input = 1.0, output = 2.0 }"
    return make_config(f"""
[sweep]
name = "test"
repeats = {repeats}
{cap}
[[models]]
id = "{provider}/a"
base_url = "{BASE_URLS[provider]}"
params = {{ max_tokens = {max_tokens} }}
{price}
{model}
[[tasks]]
name = "needle_threading.single_needle"
size = {size}
depth = 50
""")


class Silent:
    """A provider that says no more than that it refuses: neither limits nor when to come back."""

    def __init__(self, inner: Provider, *, keep_wait: bool = False) -> None:
        self._inner = inner
        self._keep_wait = keep_wait

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        result = await self._inner.complete(request, deadlines)
        if result.http_status != 429:
            return replace(result, hints=())
        after = result.retry.retry_after_s if self._keep_wait else None
        return replace(
            result,
            hints=(),
            error="slow down",
            retry=replace(result.retry, retry_after_s=after, about=TooMuch.RATE),
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class Far:
    """A provider to which a request takes a while, and a reply as long again."""

    def __init__(self, inner: Provider, away_s: float) -> None:
        self._inner = inner
        self._one_way_s = away_s / 2

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        await asyncio.sleep(self._one_way_s)
        result = await self._inner.complete(request, deadlines)
        await asyncio.sleep(self._one_way_s)
        return result

    async def aclose(self) -> None:
        await self._inner.aclose()


class Gone:
    """A way to a provider that leads nowhere at times: nothing that is sent then arrives."""

    def __init__(
        self, inner: Transport, meanwhile: Answer | Fault, times: Sequence[tuple[float, float]]
    ) -> None:
        self._inner = inner
        self._meanwhile = meanwhile
        self._times = times
        self.in_vain: list[float] = []

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        now = asyncio.get_running_loop().time()
        if any(begin <= now < end for begin, end in self._times):
            self.in_vain.append(now)
            await asyncio.sleep(0.02)
            return self._meanwhile
        return await self._inner.post(outgoing, deadlines)

    async def aclose(self) -> None:
        await self._inner.aclose()


@dataclass
class Simulated:
    """A sweep that has ended, and the provider's own log of it."""

    run: SweepRun
    simulator: Simulator
    end: SweepEnd

    @property
    def log(self) -> list[LogEntry]:
        return self.simulator.log.entries

    def count(self, outcome: str, begin: float = 0.0, end: float = 1e9) -> int:
        return sum(e.outcome == outcome and begin <= e.arrived_s < end for e in self.log)

    def used(self, dimension: str, begin: float, end: float) -> int:
        taken = [e for e in self.log if e.outcome == "replied" and begin <= e.arrived_s < end]
        if dimension == "requests":
            return len(taken)
        return sum(
            e.tally.total_input if dimension == "input" else e.tally.total_output for e in taken
        )

    def episodes(self, away_s: float = 0.0) -> list[int]:
        """How many refusals each episode has: one, and those sent before it had come back."""
        sizes = list[int]()
        known_s = -1.0
        for entry in self.log:
            if entry.outcome != "rate_limited":
                continue
            if entry.arrived_s > known_s:
                sizes.append(0)
                known_s = entry.arrived_s + away_s
            sizes[-1] += 1
        return sizes

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(row.outcome for row in self.run.store.of(AttemptRow))


def simulate(
    config: SweepConfig,
    settings: SimulatorSettings | None = None,
    *,
    until_s: float | None = None,
    wrap: Callable[[Provider], Provider] = lambda provider: provider,
    way: Callable[[Transport], Transport] = lambda transport: transport,
    store: MemoryStore | None = None,
    policy: RetryPolicy | None = None,
    before: Callable[[Engine, Simulator], None] | None = None,
    **model: Any,
) -> Simulated:
    """Run it, stopping as Ctrl-C would after `until_s`."""

    async def main() -> Simulated:
        clock = VirtualClock()
        simulator = Simulator(settings or make_settings(**model), Timeline(clock))
        transport = way(SimulatorTransport(simulator))
        providers: Mapping[str, Any] = {
            entry.id: wrap(connect(entry.provider, entry.base_url or "", None, transport))
            for entry in config.models
        }
        run = SweepRun(config, providers, store=store, policy=policy)

        def begun(engine: Engine) -> None:
            if until_s is not None:
                asyncio.get_running_loop().call_later(until_s, engine.drain)
            if before is not None:
                before(engine, simulator)

        end = await run.arun(before=begun)
        return Simulated(run=run, simulator=simulator, end=end)

    return run_virtual(main())
