"""A long sweep against the fast server: what grows with the number of trials, and what must not.

Prints requests per second and resident memory along the way, then the file's size, how long the
resume takes to decide what is missing, how long each view takes, and what was left open.
Run: `python -m tests.bench scale [TRIALS]`.
"""

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import duckdb
import uvloop

from queries.catalog import install, shipped
from runner.clock import SystemClock
from runner.commands.without_pandas import leave_out_pandas
from runner.models.spec import resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan
from runner.progress.view import SweepView
from runner.session.run import RunOptions, run_sweep
from state.stores.duck import DuckStore
from tests.bench.fast_server import fast_server
from tests.bench.whole_path import Load, make_config

TRIALS = 100_000
LINES = 10
MIB = 1 << 20


def resident_bytes() -> int:
    """Memory of this process that is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The most memory that this process ever had in use, between ticks and on closing too."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def open_files() -> int:
    """File descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A moment of the sweep."""

    done: int
    wall_s: float
    cpu_s: float
    resident: int


class Watch:
    """A display that keeps a mark for each tick."""

    for_people = False

    def __init__(self) -> None:
        self.marks: list[Mark] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def say(self, line: str) -> None: ...

    def show(self, view: SweepView) -> None:
        self.marks.append(
            Mark(
                done=sum(lane.done for lane in view.lanes),
                wall_s=time.monotonic(),
                cpu_s=time.process_time(),
                resident=resident_bytes(),
            )
        )

    def near(self, done: int) -> Mark:
        """The first mark with so many done."""
        return next((mark for mark in self.marks if mark.done >= done), self.marks[-1])


def us_between(first: Mark, last: Mark) -> float:
    """CPU microseconds a trial."""
    return (last.cpu_s - first.cpu_s) / max(1, last.done - first.done) * 1e6


def print_marks(watch: Watch, trials: int) -> None:
    """The way through the sweep in steps."""
    print(f"{'trials':>10} {'per s':>8} {'CPU us':>8} {'MB resident':>12}")
    before = watch.marks[0]
    for line in range(1, LINES + 1):
        mark = watch.near(trials * line // LINES)
        seconds = max(1e-9, mark.wall_s - before.wall_s)
        per_s = (mark.done - before.done) / seconds
        us = us_between(before, mark)
        print(f"{mark.done:>10,} {per_s:>8,.0f} {us:>8.0f} {mark.resident / MIB:>12.0f}")
        before = mark
    start, end = watch.near(trials // 100), watch.near(trials)
    early = us_between(start, watch.near(trials // 10))
    late = us_between(watch.near(trials * 9 // 10), end)
    if early:  # a sweep of a few hundred trials is over before the second mark
        print(f"CPU a trial, last tenth over first: {late / early:.2f}")
    largest = max(mark.resident for mark in watch.marks)
    print(f"largest resident {largest / MIB:.0f} MB, {peak_bytes() / MIB:.0f} MB at any moment")


def print_file(db: Path, plan: Plan) -> None:
    """Size, resume and views of the finished file."""
    size = db.stat().st_size
    print(f"file {size / MIB:.1f} MB, {size / plan.n_trials:.0f} bytes a trial")
    store = DuckStore.open(db, install_views=install, create=False)
    begun = time.monotonic()
    progress = store.progress((cell.cell_id for cell in plan.cells), frozenset(), seed=0)
    missing = sum(model.n_pending(progress.done) for model in plan.models)
    print(f"resume decides in {time.monotonic() - begun:.2f} s: {missing} missing")
    store.close()
    with duckdb.connect(str(db), read_only=True) as connection:
        for view in shipped("marts"):
            begun = time.monotonic()
            connection.table(view.name).fetchmany(1)
            took = time.monotonic() - begun
            if took > 0.1:
                print(f"  view {view.name}: {took:.2f} s")


async def sweep(base: str, trials: int, db: Path) -> tuple[Watch, Plan]:
    """The sweep, exactly as the command runs it."""
    config = make_config(base, Load(chars=2_000, in_flight=64, trials=trials))
    plan = plan_sweep(config, resolve_all(config, SystemClock().now_us()))
    watch = Watch()
    tasks, files = len(asyncio.all_tasks()), open_files()
    end = await run_sweep(config, plan, db, watch, RunOptions())
    assert end.exit_code == 0, end
    gc.collect()
    await asyncio.sleep(0)
    print(f"tasks left {len(asyncio.all_tasks()) - tasks}, files left {open_files() - files}")
    return watch, plan


def main(factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop) -> None:
    """Run and print."""
    leave_out_pandas()  # as the command line does
    trials = next((int(flag) for flag in sys.argv[1:] if flag.isdigit()), TRIALS)
    cores = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory() as temporary,
        fast_server(Path(temporary), core=cores[-1]) as base,
        asyncio.Runner(loop_factory=factory) as loop,
    ):
        os.sched_setaffinity(0, {cores[0]})
        db = Path(temporary) / "scale.duckdb"
        watch, plan = loop.run(sweep(base, trials, db))
        print_marks(watch, plan.n_trials)
        print_file(db, plan)


if __name__ == "__main__":
    main()
