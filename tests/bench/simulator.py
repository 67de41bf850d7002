"""How fast the simulator is: requests a second over a socket, milliseconds for a long prompt."""

import asyncio
import time

import aiohttp
import orjson

from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings
from runner.simulator.traffic.exchange import Arrival
from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.profiles import effective
from tests.fakes.simulator import make_simulator

REQUESTS, WORKERS = 2_000, 64
SIZES = (2_000, 100_000, 1_000_000)


def body(size: int) -> bytes:
    task = build("needle_threading.threading", TaskOptions(switches=effective("default", {})))
    point = next(iter(task.points({"size": [size], "thread_length": [5]})))
    text = task.generate(point.axes, 1).prompt.messages[0].text
    messages = [{"role": "user", "content": text}]
    return orjson.dumps({"model": "m", "messages": messages, "max_tokens": 100})


def answering() -> None:
    simulator, _ = make_simulator(SimulatorSettings())
    for size in SIZES:
        arrival = Arrival(method="POST", path="/v1/chat/completions", body=body(size))
        best = float("inf")
        for _ in range(20):
            start = time.thread_time()
            exchange = simulator.respond(arrival)
            best = min(best, time.thread_time() - start)
            simulator.finish(exchange.entry)
        print(f"reads and answers {size:>9,} chars in {best * 1000:7.3f} ms")


async def over_sockets() -> None:
    data = body(2_000)
    async with serve(SimulatorSettings()) as running, aiohttp.ClientSession() as session:
        url = f"{running.openai_url}/chat/completions"
        left = iter(range(REQUESTS))

        async def worker() -> None:
            for _ in left:
                async with session.post(url, data=data) as response:
                    await response.read()

        start, cpu = time.perf_counter(), time.thread_time()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(worker())
        passed_s, cpu_s = time.perf_counter() - start, time.thread_time() - cpu
    print(
        f"{REQUESTS / passed_s:,.0f} requests/s, client and server in one thread, 2 kB each; "
        f"{cpu_s / REQUESTS * 1000:.3f} ms of CPU a request"
    )


def main() -> None:
    answering()
    asyncio.run(over_sockets())
