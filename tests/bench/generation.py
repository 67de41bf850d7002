"""How fast Needle Threading's haystacks and prompts are made, on one core.

CPU time of the one thread is taken, so that other work on the machine weighs less.
"""

import statistics
import time
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count

from tasks.catalog import TASKS, build
from tasks.needle_threading import pairs
from tasks.options import TaskOptions
from tasks.sample import Scalar, Task

PAIRS = 12_500
SIZE = PAIRS * pairs.PAIR_CHARS
ROUNDS = 31
POINT: dict[str, Scalar] = {
    "size": SIZE,
    "depth": 50,
    "needles": 25,
    "placement": "random",
    "character": "*",
    "thread_length": 10,
    "direction": "forward",
    "threads": 5,
    "branching": 5,
}


def main() -> None:
    """Prints MB/s of haystack text, and milliseconds per prompt of a million characters."""
    seeds = count(1000)
    kept = deque[pairs.Haystack](maxlen=10)  # as a task keeps them, so memory is used again
    fastest, median = _ms(lambda: kept.append(pairs.build(next(seeds), PAIRS)))
    print(f"UUID haystack of {SIZE / 1e6:g} MB and its escaped form, {ROUNDS} rounds")
    for name, ms in (("fastest", fastest), ("median", median)):
        print(f"  {name}: {ms:6.2f} ms, {SIZE / ms / 1e3:4.0f} MB/s of text")
    print("one prompt of 1,000,000 characters, fastest, ms: new haystack / haystack known")
    for name in TASKS:
        if name.startswith("needle_threading."):
            fresh, known = _prompt_ms(build(name, TaskOptions()))
            print(f"  {name:45} {fresh:8.2f} {known:8.2f}")


def _prompt_ms(task: Task) -> tuple[float, float]:
    axes = {axis.name: POINT[axis.name] for axis in task.axes}
    seeds = count(1000)
    fresh, _ = _ms(lambda: _make(task, axes, next(seeds)))
    known, _ = _ms(lambda: _make(task, axes, 0))
    return fresh, known


def _make(task: Task, axes: Mapping[str, Scalar], seed: int) -> None:
    for message in task.generate(axes, seed).prompt.messages:
        for part in message.parts:
            assert part.json


def _ms(run: Callable[[], object]) -> tuple[float, float]:
    """Fastest and median."""
    run()
    taken: list[float] = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        run()
        taken.append(1000 * (time.thread_time() - start))
    return min(taken), statistics.median(taken)
