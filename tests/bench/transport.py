"""Our provider against a bare aiohttp loop that sends bytes encoded beforehand.

Same process, same loop, same server, interleaved rounds: prints CPU time per request of both and
their ratio, and proves that a long prompt is not copied. Run: `python -m tests.bench.transport`.
"""

import argparse
import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import aiohttp
from yarl import URL

from runner.clock import SystemClock
from runner.providers.capabilities import capability
from runner.providers.http_provider import HttpProvider
from runner.providers.open_files import raise_open_files
from runner.providers.openai_chat import OpenAIChat
from runner.providers.transport import AiohttpTransport
from runner.wire import Deadlines, Request
from tasks.sample import Text, user_prompt
from tests.bench.fast_server import fast_server

One = Callable[[], Awaitable[None]]
DEADLINES = Deadlines(first_byte_s=60, total_s=60)


def request(size: int) -> Request:
    """A prompt of `size` characters whose haystack is encoded once."""
    haystack = Text('"5f3d": "9a2b", ' * (size // 16))
    haystack.json  # noqa: B018  encode it now
    return Request(
        model="fast",
        prompt=user_prompt("Find the value. ", haystack, " Which is it?"),
        params={"temperature": 0, "max_tokens": 64},
    )


async def run(one: One, *, workers: int, seconds: float) -> tuple[int, float, float]:
    """Requests, wall and CPU seconds of a loop with `workers` in flight."""
    done = 0
    stop = time.monotonic() + seconds

    async def worker() -> None:
        nonlocal done
        while time.monotonic() < stop:
            await one()
            done += 1

    wall, cpu = time.monotonic(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return done, time.monotonic() - wall, time.process_time() - cpu


async def compare(base: str, size: int, workers: int, seconds: float, rounds: int) -> None:
    """Interleaved rounds of both sides, printed."""
    asked = request(size)
    transport = AiohttpTransport(SystemClock())
    provider = HttpProvider("compat", OpenAIChat(), f"{base}/v1", transport)
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    url = URL(f"{base}/v1/chat/completions")
    body = b"".join(OpenAIChat().encode(asked, capability("compat", "fast")))

    async def bare() -> None:
        async with session.post(
            url, data=body, headers={"Content-Type": "application/json"}
        ) as response:
            await response.read()

    async def ours() -> None:
        result = await provider.complete(asked, DEADLINES)
        assert result.outcome == "answered", result

    sides: dict[str, One] = {"bare": bare, "ours": ours}
    micros: dict[str, list[float]] = {name: [] for name in sides}
    rates: dict[str, list[float]] = {name: [] for name in sides}
    for one in sides.values():
        await run(one, workers=workers, seconds=seconds / 4)
    for _ in range(rounds):
        for name, one in sides.items():
            done, wall, cpu = await run(one, workers=workers, seconds=seconds)
            micros[name].append(cpu / done * 1e6)
            rates[name].append(done / wall)
    await provider.aclose()
    await session.close()
    bare_us, ours_us = median(micros["bare"]), median(micros["ours"])
    print(
        f"{size:>9,} chars {workers:>5} in flight"
        f"   bare {bare_us:7.0f} us {median(rates['bare']):7.0f}/s"
        f"   ours {ours_us:7.0f} us {median(rates['ours']):7.0f}/s   ratio {bare_us / ours_us:.2f}"
    )


async def copies(base: str, size: int) -> None:
    """Peak of new memory while a long prompt is sent, in bytes per byte of prompt."""
    asked = request(size)
    provider = HttpProvider("compat", OpenAIChat(), f"{base}/v1", AiohttpTransport(SystemClock()))
    await provider.complete(asked, DEADLINES)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    await provider.complete(asked, DEADLINES)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    await provider.aclose()
    print(f"{size:>9,} chars: {peak - before:,} bytes allocated on the way (a copy is {size:,})")


async def measure(options: argparse.Namespace, folder: Path) -> None:
    """All sizes."""
    raise_open_files(max(options.workers) + 64)
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[0]})
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    with fast_server(folder, delay_s=options.delay, core=cores[-1]) as base:
        for size in options.sizes:
            for workers in options.workers:
                await compare(base, size, workers, options.seconds, options.rounds)
        await copies(base, 2_000_000)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak RSS {rss // 1024} MB")


def main() -> None:
    """Parse flags, where there are any, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 400_000, 2_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[64])
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    flags = sys.argv[1:]
    options = parser.parse_args(flags if flags[:1] != ["transport"] else flags[1:])
    if sys.platform != "win32":
        import uvloop  # noqa: PLC0415  absent on Windows

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(measure(options, Path(temporary)))


if __name__ == "__main__":
    main()
