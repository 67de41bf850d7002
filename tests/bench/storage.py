"""How many rows a second become durable, how long an append waits, and what the loop feels of it.

The second run of each pair has a reader in another process that asks for all cells each second.
"""

import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from queries.catalog import install
from runner.session.process import quiet_interpreter
from state.sharing.live import LiveChannel
from state.stores.duck import DuckStore
from tests.fakes import rows

TRIALS = 30_000
IN_FLIGHT = 256
ROWS_A_TRIAL = 5
PAIRS = 2
WHOLE_PATH_US = 250
"""About the processor time of one whole trial with a short prompt (see the bench `whole_path`)."""
READER = """
import sys, time
from pathlib import Path
from state.sharing.reading import open_for_reading
while True:
    begun = time.monotonic()
    with open_for_reading(Path(sys.argv[1])) as reader:
        found = reader.connection.execute("SELECT sum(n_answered) FROM cell_accuracy").fetchall()
        print(time.monotonic() - begun, found[0][0], reader.live, flush=True)
    time.sleep(1)
"""


async def run(path: Path) -> dict[str, float]:
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), *(rows.cell(f"c{n}") for n in range(100)))
    waits: list[float] = []
    gaps: list[float] = []
    with LiveChannel.open(store), reading(path):
        begun, busy = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as group:
            meter = group.create_task(measure(gaps))
            async with asyncio.TaskGroup() as lanes:
                numbers = iter(range(TRIALS))
                for _ in range(IN_FLIGHT):
                    lanes.create_task(lane(store, numbers, waits))
            took, busy = time.perf_counter() - begun, time.process_time() - busy
            meter.cancel()
    await store.aclose()
    waits.sort()
    return {
        "rows/s": TRIALS * ROWS_A_TRIAL / took,
        "processor us a trial": busy / TRIALS * 1e6,
        "wait p50 ms": waits[len(waits) // 2] * 1e3,
        "wait p99 ms": waits[len(waits) * 99 // 100] * 1e3,
        "loop gap max ms": max(gaps) * 1e3,
    }


async def lane(store: DuckStore, numbers: Iterator[int], waits: list[float]) -> None:
    for number in numbers:
        trial, attempt = f"{number:032x}", f"{number:032x}.1"
        before = time.perf_counter()
        await store.append(
            rows.trial(trial, cell_id=f"c{number % 100}", repeat=number // 100),
            rows.start(attempt, trial_id=trial),
        )
        waits.append(time.perf_counter() - before)
        await store.append(
            rows.attempt(attempt, trial_id=trial),
            rows.completion(trial_id=trial, attempt_id=attempt, text="an answer " * 20),
            rows.score(trial_id=trial),
        )


async def measure(gaps: list[float]) -> None:
    before = time.perf_counter()
    while True:
        await asyncio.sleep(0.002)
        now = time.perf_counter()
        gaps.append(now - before - 0.002)
        before = now


@contextmanager
def reading(path: Path) -> Iterator[None]:
    if "read" not in path.name:
        yield
        return
    command = [sys.executable, "-c", READER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        yield
        reader.terminate()
        assert reader.stdout is not None
        answers = [float(line.split()[0]) for line in reader.stdout]
    worst = f"{max(answers):.2f} s at worst" if answers else "none in time"
    print(f"{'':12}reader: {len(answers)} answers, {worst}")


def main() -> None:
    print(f"{TRIALS:,} trials of {ROWS_A_TRIAL} rows, {IN_FLIGHT} in flight")
    rates: dict[str, list[float]] = {"alone": [], "read": []}
    costs: dict[str, list[float]] = {"alone": [], "read": []}
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for pair, kind in itertools.product(range(PAIRS), rates):
            path = Path(folder) / f"{kind}-{pair}.duckdb"
            with quiet_interpreter():  # as a sweep: a full collection stops every thread
                found = asyncio.run(run(path))
            rates[kind].append(found["rows/s"])
            costs[kind].append(found["processor us a trial"])
            found["bytes a trial"] = path.stat().st_size / TRIALS
            print(f"{kind:12}" + "  ".join(f"{name} {n:,.1f}" for name, n in found.items()))
    ratio = max(rates["read"]) / max(rates["alone"])
    print(f"with a reader: {ratio:.2f} of the rate without")
    more_us = min(costs["read"]) - min(costs["alone"])
    share = more_us / WHOLE_PATH_US
    print(
        f"and {more_us:.1f} us more a trial: {share:.1%} of the {WHOLE_PATH_US} us of a whole sweep"
    )
