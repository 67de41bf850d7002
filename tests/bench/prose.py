"""Prompts of 100,000 tokens over prose, and token counting: milliseconds, MB/s, stalls.

CPU time of the one thread is taken, so that other work on the machine weighs less. A stall is the
longest time that another thread did not get its turn.
"""

import statistics
import threading
import time
from collections.abc import Callable

from tasks.catalog import build
from tasks.needle_threading.pairs import build as build_pairs
from tasks.options import TaskOptions
from tasks.prose import Prose
from tasks.sample import Scalar
from tasks.tokens import ExactCounter, TokenizerName, exact_counter

TOKENS = 100_000
ROUNDS = 9
PAIRS = 16_000
CHARS = 5_000_000
VOCABULARIES: tuple[TokenizerName, ...] = ("cl100k_base", "o200k_base", "llama3", "qwen3")
PADDINGS = ("duplicate", "similar", "different")


def main() -> None:
    """Prints all three."""
    _prompts()
    _counters()


def _prompts() -> None:
    print(f"one prompt of {TOKENS:,} tokens, ms: first / warm (median of {ROUNDS})")
    for padding in PADDINGS:
        point: dict[str, Scalar] = {
            "size": TOKENS,
            "padding": padding,
            "placement": "random",
            "cot": False,
        }
        _prompt("flenqa.monorel", point, padding, step=1)
    point = {"size": TOKENS, "depth": 50, "digits": 7, "buffer": 200}
    _prompt("niah.magic_number", point, "one repeat", step=0)
    _prompt("niah.magic_number", point, "new prose each time", step=1)


def _prompt(name: str, point: dict[str, Scalar], note: str, *, step: int) -> None:
    """Every call is another prompt; `step` says whether it is another repeat or another depth."""
    task = build(name, TaskOptions())

    def make(index: int) -> None:
        depth = {"depth": 10 + index} if "depth" in point else {}
        task.generate({**point, **depth}, index * step)

    first = _ms(lambda: make(0))
    warm = [_ms(lambda index=index: make(index)) for index in range(1, ROUNDS + 1)]
    print(f"  {name:18} {note:20} {first:7.1f} / {statistics.median(warm):5.1f}")


def _counters() -> None:
    texts = {"UUID JSON": build_pairs(0, PAIRS).text.text, "prose": Prose(0).text(CHARS)}
    for kind, text in texts.items():
        print(f"counting {len(text) / 1e6:.2f} MB of {kind}: MB/s of CPU, longest stall in ms")
        for name in VOCABULARIES:
            _counter(exact_counter(name), text)


def _counter(counter: ExactCounter, text: str) -> None:
    counter.count(text)
    ms = statistics.median(_ms(lambda: counter.count(text)) for _ in range(3))
    stall = _longest_stall_ms(lambda: counter.count(text))
    print(f"  {counter.name:12} {len(text) / ms / 1e3:6.1f}   {stall:5.1f}")


def _ms(call: Callable[[], object]) -> float:
    start = time.thread_time()
    call()
    return 1e3 * (time.thread_time() - start)


def _longest_stall_ms(call: Callable[[], object]) -> float:
    done = threading.Event()
    gaps: list[float] = []

    def watch() -> None:
        last = time.perf_counter()
        while not done.wait(0.0005):
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    call()
    done.set()
    watcher.join()
    return 1e3 * max(gaps, default=0.0)
