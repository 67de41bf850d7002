"""The whole path against a bare aiohttp loop that sends bytes encoded beforehand.

Whole path: plan, generate, count, reserve, limit, send, store durably, score, load into DuckDB.
Same process, same loop, one core, a server in another process on another core, interleaved rounds.
The ratio is of CPU time per request, over all threads, which weighs other work on the machine
least; requests per second are as seen. Run: `python -m tests.bench whole_path`.
"""

import argparse
import asyncio
import cProfile
import gc
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp
from yarl import URL

from queries.catalog import install
from runner.clock import SystemClock
from runner.config.sweep import SweepConfig, parse
from runner.models.spec import ModelSpec, resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan
from runner.plan.record import record_plan, sweep_row
from runner.providers.catalog import connect
from runner.providers.http.open_files import raise_open_files
from runner.providers.http.transport import AiohttpTransport
from runner.session.process import prompt_makers, quiet_interpreter
from runner.session.wiring import SweepParts, make_engine
from runner.wire import Provider
from state.stores.duck import DuckStore
from tests.bench.fast_server import fast_server

QUESTIONS = 100
"""Depths asked of one haystack, as a fine heatmap has them; the haystack's bytes are shared."""
KNOWN_VOCABULARY = "o200k_base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a number of requests took."""

    requests: int
    wall_s: float
    cpu_s: float

    @property
    def us(self) -> float:
        """CPU microseconds per request, all threads."""
        return self.cpu_s / self.requests * 1e6

    @property
    def per_s(self) -> float:
        """Requests per second."""
        return self.requests / self.wall_s


Side = Callable[[], Awaitable[Spent]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is sent: prompts of so many characters, so many at once, so often."""

    chars: int
    in_flight: int
    trials: int
    tokenizer: str = ""


def make_config(base: str, load: Load) -> SweepConfig:
    """One paid model with every limit set, and a single-needle grid with shared haystacks."""
    tokenizer = f'tokenizer = "{load.tokenizer}"' if load.tokenizer else ""
    depths = [round(100 * at / QUESTIONS, 2) for at in range(QUESTIONS)]
    return parse(
        f"""
[sweep]
name = "bench"
repeats = {max(1, load.trials // QUESTIONS)}
budget = "1000000usd"
[[models]]
id = "compat/fast"
base_url = "{base}/v1"
price = {{ input = 0.5, output = 0.8, cache_read = 0.1 }}
{tokenizer}
[models.limits]
rpm = 100_000_000
itpm = 1_000_000_000_000
otpm = 1_000_000_000_000
concurrency = {load.in_flight}
[[tasks]]
name = "needle_threading.single_needle"
size = {load.chars}
depth = {depths}
""",
        Path("bench.toml"),
    )


class Timer:
    """Wall and CPU time since it was made."""

    def __init__(self) -> None:
        self._wall = time.monotonic()
        self._cpu = time.process_time()

    def spent(self, requests: int) -> Spent:
        """What so many requests took."""
        return Spent(
            requests=requests,
            wall_s=time.monotonic() - self._wall,
            cpu_s=time.process_time() - self._cpu,
        )


async def whole(config: SweepConfig, folder: Path) -> Spent:
    """One sweep into a new file: from the first prompt until the last row can be queried."""
    clock = SystemClock()
    plan = plan_sweep(config, resolve_all(config, clock.now_us()))
    transport = AiohttpTransport(clock)
    db = folder / f"{time.monotonic_ns()}.duckdb"
    store = DuckStore.open(db, install_views=install, create=True)
    try:
        with prompt_makers() as executor:
            spent = await _timed(config, plan, store, executor, transport)
    finally:
        await store.aclose()
        await transport.aclose()
    return spent


async def _timed(
    config: SweepConfig,
    plan: Plan,
    store: DuckStore,
    executor: ThreadPoolExecutor,
    transport: AiohttpTransport,
) -> Spent:
    clock = SystemClock()
    row = sweep_row(config, plan, clock)
    await record_plan(store, row, plan)
    progress = store.progress((cell.cell_id for cell in plan.cells), frozenset(), seed=0)

    def provider_for(model: ModelSpec) -> Provider:
        return connect(model.provider, model.base_url, None, transport)

    parts = SweepParts(store=store, clock=clock, executor=executor, provider_for=provider_for)
    engine = make_engine(config, plan, row.sweep_id, progress, parts)
    timer = Timer()
    end = await engine.run()
    store.flush()
    spent = timer.spent(plan.n_trials)
    assert end.exit_code == 0, end
    return spent


class Bare:
    """What aiohttp alone can do with a body that is ready."""

    def __init__(self, base: str, body: bytes) -> None:
        self._url = URL(f"{base}/v1/chat/completions")
        self._body = body

    async def run(self, requests: int, in_flight: int) -> Spent:
        """So many requests, so many at once."""
        left = requests
        connector = aiohttp.TCPConnector(limit=0)
        timeout = aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

            async def worker() -> None:
                nonlocal left
                while left > 0:
                    left -= 1
                    await self._one(session)

            timer = Timer()
            async with asyncio.TaskGroup() as group:
                for _ in range(in_flight):
                    group.create_task(worker())
            return timer.spent(requests)

    async def _one(self, session: aiohttp.ClientSession) -> None:
        headers = {"Content-Type": "application/json"}
        async with session.post(self._url, data=self._body, headers=headers) as response:
            await response.read()


def body_of(config: SweepConfig) -> bytes:
    """The bytes of one request of that sweep."""
    cell = next(plan_sweep(config, resolve_all(config, SystemClock().now_us())).cells)
    head = b'{"messages":[{"role":"user","content":"'
    prompt = cell.task.generate(cell.point.axes, 0).prompt
    text = b"".join(part.json for message in prompt.messages for part in message.parts)
    return head + text + b'"}],"model":"fast","temperature":0,"max_tokens":104}'


async def compare(base: str, load: Load, rounds: int, folder: Path) -> None:
    """Interleaved rounds of both sides, printed."""
    config = make_config(base, load)
    bare = Bare(base, body_of(config))
    sides: dict[str, Side] = {
        "bare": lambda: bare.run(load.trials, load.in_flight),
        "whole": lambda: whole(config, folder),
    }
    await bare.run(max(64, load.trials // 10), load.in_flight)
    spent: dict[str, list[Spent]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            gc.collect()
            spent[name].append(await run())
    us = {name: median(one.us for one in all_) for name, all_ in spent.items()}
    per_s = {name: median(one.per_s for one in all_) for name, all_ in spent.items()}
    ratios = [b.us / w.us for b, w in zip(spent["bare"], spent["whole"], strict=True)]
    print(
        f"{load.chars:>9,} chars {load.in_flight:>5} in flight {load.tokenizer or 'estimated':>10}"
        f"   bare {us['bare']:6.0f} us {per_s['bare']:6.0f}/s"
        f"   whole {us['whole']:6.0f} us {per_s['whole']:6.0f}/s"
        f"   ratio {median(ratios):.2f} (wall {per_s['whole'] / per_s['bare']:.2f})",
        flush=True,
    )


async def measure(options: argparse.Namespace, folder: Path) -> None:
    """All sizes without latency, then many in flight with latency."""
    raise_open_files(2000)
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    gc.collect()
    with quiet_interpreter(), fast_server(folder, core=cores[-1]) as base:
        for chars, trials in zip(options.sizes, options.trials, strict=True):
            load = Load(chars=chars, in_flight=64, trials=trials, tokenizer=options.tokenizer)
            await compare(base, load, options.rounds, folder)
    if options.waiting:
        with quiet_interpreter(), fast_server(folder, delay_s=0.2, core=cores[-1]) as base:
            load = Load(chars=2_000, in_flight=2000, trials=options.waiting)
            await compare(base, load, options.rounds, folder)


async def profiled(options: argparse.Namespace, folder: Path) -> None:
    """One whole-path run of the first size under cProfile (the loop's thread only)."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with fast_server(folder, core=cores[-1]) as base:
        load = Load(chars=options.sizes[0], in_flight=64, trials=options.trials[0])
        await whole(make_config(base, Load(chars=load.chars, in_flight=64, trials=200)), folder)
        profile = cProfile.Profile()
        with profile:
            spent = await whole(make_config(base, load), folder)
        profile.dump_stats(options.profile)
        print(f"{spent.us:.0f} us a request under the profiler: {options.profile}")


def main() -> None:
    """Parse flags and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 400_000, 2_000_000])
    parser.add_argument("--trials", type=int, nargs="+", default=[20_000, 10_000, 4_000])
    parser.add_argument("--waiting", type=int, default=20_000, help="trials with 2,000 in flight")
    parser.add_argument("--tokenizer", default="", help="count exactly under this vocabulary")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", help="write a cProfile of one run to this file instead")
    flags = sys.argv[1:]
    options = parser.parse_args(flags[1:] if flags[:1] == ["whole_path"] else flags)
    run = measure if options.profile is None else profiled
    factory = None
    if sys.platform != "win32":
        import uvloop  # noqa: PLC0415  absent on Windows

        factory = uvloop.new_event_loop
    with (
        tempfile.TemporaryDirectory() as temporary,
        asyncio.Runner(loop_factory=factory) as runner,
    ):
        runner.run(run(options, Path(temporary)))


if __name__ == "__main__":
    main()
