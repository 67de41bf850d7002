"""Draws one NeedleChain instance: who works, who earns what, and who is compared with whom."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.identity import derive_seed
from tasks.needlechain.names import NAMES

Chain = Literal["forward", "backward", "mixed", "stack"]
Bound = Literal["final64", "none"]

STACK_FACTORS = (0.125, 0.25, 0.5, 1, 2, 4, 8)
STEPS = (
    ("{name} earns twice as much as {before}.", 2.0),
    ("{name} earns half as much as {before}.", 0.5),
    ("{name} earns the same salary as {before}.", 1.0),
)
FINAL_SPAN = 64
"""The last value of a chain stays within this factor of its first one; values between may leave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The facts of one chain type in the order they are told, and the two values asked for."""

    lines: tuple[str, ...]
    presented: tuple[int, ...]
    """Whom each line is about, as an index into the instance's names."""
    single: float
    total: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One set of workers with all four tellings; the three chains tell the same facts."""

    names: tuple[str, ...]
    series: dict[Chain, Series]


@dataclass(frozen=True, slots=True)
class _Facts:
    lines: list[str]
    values: list[float]

    def told(self, order: Sequence[int]) -> Series:
        return Series(
            lines=tuple(self.lines[index] for index in order),
            presented=tuple(order),
            single=self.values[-1],
            total=math.fsum(self.values),  # exact, so the same on every Python
        )


def draw(k: int, val: int, bound: Bound, seed: int) -> Instance:
    """The instance of `k` workers around a salary of `val`; same arguments, same instance."""
    rng = random.Random(derive_seed("needlechain", k, val, seed))
    names, stack, chain = _draw_facts(rng, k, val)
    while bound == "final64" and not _within(chain.values[-1], val):
        names, stack, chain = _draw_facts(rng, k, val)  # the whole instance goes, names and all
    forward = list(range(k))
    series: dict[Chain, Series] = {
        "stack": stack.told(rng.sample(forward, k)),
        "forward": chain.told(forward),
        "backward": chain.told(forward[::-1]),
        "mixed": chain.told(rng.sample(forward, k)),
    }
    return Instance(names=tuple(names), series=series)


def _draw_facts(rng: random.Random, k: int, val: int) -> tuple[list[str], _Facts, _Facts]:
    names = rng.sample(NAMES, k)
    return names, _draw_stack(rng, names, val), _draw_chain(rng, names, val)


def _draw_stack(rng: random.Random, names: Sequence[str], val: int) -> _Facts:
    # The product with a factor is a float, hence "$800.0" here and "$1600" at a chain's head.
    values = [float(val * rng.choice(STACK_FACTORS)) for _ in names]
    lines = [received(name, value) for name, value in zip(names, values, strict=True)]
    return _Facts(lines, values)


def _draw_chain(rng: random.Random, names: Sequence[str], val: int) -> _Facts:
    lines, values = [received(names[0], val)], [float(val)]
    for before, name in itertools.pairwise(names):
        pattern, factor = rng.choice(STEPS)
        lines.append(pattern.format(name=name, before=before))
        values.append(values[-1] * factor)
    return _Facts(lines, values)


def received(name: str, value: float) -> str:
    """The fact that fixes a salary; whole numbers stay whole and floats keep their point."""
    return f"{name} received ${value} last week."


def _within(value: float, val: int) -> bool:
    return val / FINAL_SPAN <= value <= val * FINAL_SPAN
