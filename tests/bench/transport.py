"""Our provider against a bare aiohttp loop that sends bytes encoded beforehand.

Same process, same loop, same server, interleaved rounds: prints CPU time per request of the bare
loop, of our provider, and their ratio; "loop" is the part spent on the event loop's thread. With
`--tls` over TLS. Then proves that a long prompt is encoded once and not copied.

Run: `python -m tests.bench transport`.
"""

import argparse
import asyncio
import gc
import os
import resource
import ssl
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp
from yarl import URL

from runner.clock import SystemClock
from runner.providers.formats.capabilities import capability
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.http.open_files import raise_open_files
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http_provider import HttpProvider
from runner.session.process import quiet_interpreter
from tests.bench.bytes_once import DEADLINES, request, sent, shared
from tests.bench.fast_server import fast_server
from tests.fakes.own_authority import make_authority

One = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request took in a round."""

    us: float
    """CPU time of all threads."""
    loop_us: float
    """CPU time of the event loop's thread."""
    per_s: float


async def run(one: One, *, workers: int, seconds: float) -> Cost:
    """The cost of a request in a loop with `workers` in flight."""
    done = 0
    stop = time.monotonic() + seconds

    async def worker() -> None:
        nonlocal done
        while time.monotonic() < stop:
            await one()
            done += 1

    wall, cpu, loop = time.monotonic(), time.process_time(), time.thread_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return Cost(
        us=(time.process_time() - cpu) / done * 1e6,
        loop_us=(time.thread_time() - loop) / done * 1e6,
        per_s=done / (time.monotonic() - wall),
    )


async def compare(base: str, size: int, workers: int, seconds: float, rounds: int) -> None:
    """Interleaved rounds of all sides, printed."""
    asked = request(size)
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

    transport = AiohttpTransport(SystemClock())
    provider = HttpProvider("compat", OpenAIChat(), f"{base}/v1", transport)
    sides: dict[str, One] = {"bare": bare, "ours": ours}
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for one in sides.values():
        await run(one, workers=workers, seconds=seconds / 4)
    for _ in range(rounds):
        for name, one in sides.items():
            costs[name].append(await run(one, workers=workers, seconds=seconds))
    await provider.aclose()
    await session.close()
    bare_us, ours_us = (median(cost.us for cost in costs[name]) for name in sides)
    scheme = base.partition(":")[0]
    print(
        f"{size:>9,} chars {workers:>5} in flight {scheme:5}",
        *map(_line, costs.items()),
        f"ratio {bare_us / ours_us:.2f}",
        sep="   ",
        flush=True,
    )


def _line(side: tuple[str, list[Cost]]) -> str:
    name, costs = side
    us, loop_us, per_s = (
        median(values)
        for values in zip(*((cost.us, cost.loop_us, cost.per_s) for cost in costs), strict=True)
    )
    return f"{name} {us:.0f} us (loop {loop_us:.0f}) {per_s:.0f}/s"


def trust(folder: Path) -> Path:
    """A folder with a server's certificate, which this process now trusts."""
    os.environ["SSL_CERT_FILE"] = str(make_authority(folder))
    # aiohttp read what it trusts when it was imported.
    aiohttp.connector._SSL_CONTEXT_VERIFIED = ssl.create_default_context()  # pyright: ignore[reportPrivateUsage]
    return folder


async def measure(options: argparse.Namespace, folder: Path) -> None:
    """All sizes."""
    raise_open_files(max(options.workers) + 64)
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[0]})
    gc.collect()
    tls = trust(folder) if options.tls else None
    with (
        quiet_interpreter(),
        fast_server(folder, delay_s=options.delay, core=cores[-1], tls=tls) as base,
    ):
        for size in options.sizes:
            for workers in options.workers:
                await compare(base, size, workers, options.seconds, options.rounds)
        print(shared(2_000_000))
        print(await sent(base, 2_000_000))
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak RSS {rss // 1024} MB")


def main() -> None:
    """Parse flags, where there are any, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 400_000, 2_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[64])
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--tls", action="store_true", help="over TLS 1.3")
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
