"""Every bench in a tiny form, to see that it still works; what it prints then means nothing.

Left out is `peers`, which installs packages.
"""

import functools
import importlib
import os
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiny:
    """What makes a bench short: flags, constants of its module, or values of its functions."""

    flags: str = ""
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By function, what it is given instead of its defaults."""
    measure: Mapping[str, Any] | None = None
    """One call of its `measure` with these values instead of its `main`."""


STALLS = {"delay_s": 0.1, "size": 2000, "repeats": 40, "concurrency": 16}
WIDE = '{models}[[tasks]]\nname = "niah.magic_number"\nsize = [1000]\n'
BENCHES: Mapping[str, Tiny] = {
    "coverage": Tiny(flags="1", constants={"DRAWS": 20}),
    "generation": Tiny(constants={"ROUNDS": 1}),
    "limits": Tiny(constants={"ITPM": 12_000}),
    "long_texts": Tiny(flags="20 50000"),
    "prose": Tiny(constants={"ROUNDS": 1, "TOKENS": 4_000, "PAIRS": 500, "CHARS": 50_000}),
    "scale": Tiny(flags="300"),
    "simulator": Tiny(constants={"SIZES": (2_000,), "REQUESTS": 64}),
    "stalls": Tiny(measure={**STALLS, "task": "single_needle", "depth": "50"}),
    "startup": Tiny(constants={"ROUNDS": 1, "DEPTHS": 2, "WIDE": WIDE, "MODELS": ("sim/any",)}),
    "storage": Tiny(constants={"TRIALS": 300, "PAIRS": 1}),
    "transport": Tiny(flags="--sizes 2000 --workers 4 --seconds 0.2 --rounds 1"),
    "views": Tiny(constants={"RUNS": 1}, values={"build": {"trials": 2_400}}),
    "whole_path": Tiny(flags="--sizes 2000 --trials 300 --waiting 300 --rounds 1"),
}


@contextmanager
def _shortened(module: Any, tiny: Tiny, name: str) -> Generator[None]:
    """With its constants replaced, its flags on the command line, and every core afterwards."""
    cores = os.sched_getaffinity(0)
    with ExitStack() as stack:
        for constant, value in tiny.constants.items():
            stack.enter_context(patch.object(module, constant, value))
        for function, values in tiny.values.items():
            given = functools.partial(getattr(module, function), **values)
            stack.enter_context(patch.object(module, function, given))
        stack.enter_context(patch.object(sys, "argv", [name, name, *tiny.flags.split()]))
        stack.callback(os.sched_setaffinity, 0, cores)
        yield


def run(name: str) -> None:
    """One bench in its tiny form."""
    module: Any = importlib.import_module(f"tests.bench.{name}")
    tiny = BENCHES[name]
    with _shortened(module, tiny, name):
        if tiny.measure is None:
            module.main()
        else:
            module.measure("tiny", **tiny.measure)


def main() -> None:
    """All of them, with the seconds that each took."""
    for name in BENCHES:
        print(f"--- {name}", flush=True)
        start, cpu = time.monotonic(), time.process_time()
        run(name)
        print(
            f"--- {name}: {time.monotonic() - start:.1f} s, {time.process_time() - cpu:.1f} s CPU",
            flush=True,
        )
