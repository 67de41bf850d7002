"""Ticks at the sizes that were swept, as many as have room for their labels."""

from collections.abc import Iterable
from math import log

from runner.terminal import words

CHAR_PX = 6.2
"""Of a label, in the widest of our fonts."""
GAP_PX = 7
PADDING_PX = 8
"""Between the ends of an axis and the first and last tick."""


def ticks(sizes: Iterable[float], *, width: float, logarithmic: bool) -> list[float]:
    """The smallest and the largest, and of those between as many as fit, from the smallest on."""
    ordered = sorted(set(sizes))
    if len(ordered) < 3:
        return ordered
    at = [log(size) if logarithmic else size for size in ordered]
    px = (width - 2 * PADDING_PX) / (at[-1] - at[0])
    centres = [(place - at[0]) * px for place in at]
    halves = [len(words.length(size)) * CHAR_PX / 2 for size in ordered]
    kept = [0]
    for index in range(1, len(ordered) - 1):
        begin, end = centres[index] - halves[index], centres[index] + halves[index]
        free_from = centres[kept[-1]] + halves[kept[-1]] + GAP_PX
        if free_from <= begin and end + GAP_PX <= centres[-1] - halves[-1]:
            kept.append(index)
    return [*(ordered[index] for index in kept), ordered[-1]]
