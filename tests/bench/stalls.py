"""The longest time the event loop stood still: long prompts, thousands in flight, a slow disk."""

import asyncio
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.commands.sweeps.sweep import run_loop
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.engine.engine import SweepEnd
from runner.progress.view import SweepView
from runner.session.run import RunOptions, run_sweep
from tests.bench.fast_server import fast_server

CONFIG = """
[sweep]
repeats = {repeats}
[[models]]
id = "compat/a"
base_url = "{url}/v1"
price = 0
limits = {{ concurrency = {concurrency} }}
[[tasks]]
name = "needle_threading.{task}"
size = {size}
depth = {depth}
"""
MILLION_TOKENS = 1_600_000
"""Characters of UUIDs that make about a million tokens."""
TICK_S = 0.001


class Quiet:
    """A display that shows nothing; only while calls are in flight is a gap a stall."""

    for_people = False

    def __init__(self, gaps: "Gaps") -> None:
        self._gaps = gaps

    def __enter__(self) -> "Quiet":
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def show(self, view: SweepView) -> None:
        self._gaps.active = any(lane.in_flight for lane in view.lanes)

    def say(self, line: str) -> None:
        return None


class Gaps:
    """Measures how late a timer comes, and where the loop's thread was meanwhile."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.own: list[float] = []
        self.at = time.perf_counter()
        self.worst: tuple[float, str] = (0.0, "")
        self.active = False
        self._stop = threading.Event()
        self._main = threading.get_ident()

    async def tick(self) -> None:
        while True:
            self.at, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TICK_S)
            if self.active:
                self.gaps.append(time.perf_counter() - self.at - TICK_S)
                self.own.append(time.thread_time() - cpu)

    def watch(self) -> None:
        """Look from another thread what the loop is doing when it is late."""
        while not self._stop.wait(0.01):
            late = time.perf_counter() - self.at
            if self.active and late > max(0.03, self.worst[0]):
                frame = sys._current_frames().get(self._main)
                if frame is not None:
                    self.worst = (late, f"{frame.f_code.co_qualname} {frame.f_lineno}")

    def stop(self) -> None:
        self._stop.set()


def slow_disk(pause_s: float) -> Callable[[], None]:
    """Make every sync of the disk take longer; returns what undoes it."""
    real = os.fdatasync

    def slow(handle: int) -> None:
        time.sleep(pause_s)
        real(handle)

    os.fdatasync = slow
    return lambda: setattr(os, "fdatasync", real)


def measure(name: str, *, delay_s: float, disk_s: float = 0.0, **values: Any) -> None:
    gaps = Gaps()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with fast_server(folder, delay_s=delay_s) as url:
            config = parse(CONFIG.format(url=url, **values), folder / "sweep.toml")
            undo = slow_disk(disk_s)
            watcher = threading.Thread(target=gaps.watch, daemon=True)
            watcher.start()

            async def main() -> SweepEnd:
                async with asyncio.TaskGroup() as group:
                    ticker = group.create_task(gaps.tick())
                    display: Any = Quiet(gaps)
                    plan = planned(config)
                    db = folder / "x.duckdb"
                    end = await run_sweep(config, plan, db, display, RunOptions())
                    ticker.cancel()
                return end

            end = run_loop(main)
            undo()
            gaps.stop()
    ranked, own = sorted(gaps.gaps), max(gaps.own)
    over = sum(gap > 0.05 for gap in ranked)
    # Where the two differ, the loop waited for a core or for the interpreter's lock.
    print(
        f"{name:<34} exit {end.exit_code}  worst {ranked[-1] * 1000:6.1f} ms "
        f"(own work {own * 1000:6.1f} ms), "
        f"99.9 % {ranked[int(len(ranked) * 0.999)] * 1000:6.1f} ms,"
        f" over 50 ms: {over} of {len(ranked):,}   latest seen at: {gaps.worst[1]}"
    )


def main() -> None:
    one: dict[str, Any] = {"task": "single_needle", "depth": "50"}
    measure(
        "1M-token prompts, 16 in flight",
        delay_s=0.2,
        size=MILLION_TOKENS,
        repeats=400,
        concurrency=16,
        **one,
    )
    measure("2,000 in flight", delay_s=1.0, size=2000, repeats=12_000, concurrency=2000, **one)
    measure(
        "256 in flight, 50 ms a disk sync",
        delay_s=0.05,
        disk_s=0.05,
        size=2000,
        repeats=3000,
        concurrency=256,
        **one,
    )


if __name__ == "__main__":
    main()
