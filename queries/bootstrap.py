"""The bootstrap of the effective context length; everything else is SQL.

The same rules as `context_frontier.sql`: linear in characters, first fall below the threshold, 0
when it is never reached, the limit when it is never left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from queries.correlation import t_of_95

Floats = NDArray[np.float64]
Crossing = Literal["first_down", "last_down"]
DRAWS = 1000
FEWEST_SEEDS = 5
"""With fewer the interval holds the truth too seldom (3 seeds: 71 %)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Sums of scores and counts of answers, by seed, fixed axis value and length."""

    xs: Floats
    chars: Floats
    """Ascending."""
    totals: Floats
    """Seeds x axis values x lengths."""
    counts: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a length is read off the curves."""

    threshold: float
    reference: float | None
    """The axis value to read at; None takes the worst of all."""
    limit: float | None
    crossing: Crossing = "first_down"


def effective_lengths(accuracy: Floats, curves: Curves, rule: Rule) -> Floats:
    """Effective characters of each draw; accuracy is draws x axis values x lengths, or NaN."""
    if rule.reference is not None:
        accuracy = _at(accuracy, curves.xs, rule.reference)[:, np.newaxis, :]
    per_value = _crossings(accuracy, curves.chars, rule)
    return np.min(per_value, axis=1)


def _at(accuracy: Floats, xs: Floats, x: float) -> Floats:
    """Accuracy at an axis value between two measured ones, or at the nearest measured one."""
    above = int(np.searchsorted(xs, x))
    if above < len(xs) and xs[above] == x:
        return accuracy[:, above, :]
    if above in {0, len(xs)}:
        return accuracy[:, min(above, len(xs) - 1), :]
    share = (x - xs[above - 1]) / (xs[above] - xs[above - 1])
    low, high = accuracy[:, above - 1, :], accuracy[:, above, :]
    mixed = low + (high - low) * share
    return np.where(np.isnan(low), high, np.where(np.isnan(high), low, mixed))


def _crossings(accuracy: Floats, chars: Floats, rule: Rule) -> Floats:
    shape = accuracy.shape[:2]
    before = np.full(shape, np.nan)
    before_chars = np.full(shape, np.nan)
    reached = np.zeros(shape, dtype=bool)
    crossed = np.full(shape, np.nan)
    for index, length in enumerate(chars):
        now = accuracy[:, :, index]
        falls = (before >= rule.threshold) & (now < rule.threshold)
        if rule.crossing == "first_down":
            falls &= np.isnan(crossed)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (before - rule.threshold) / (before - now)
        crossed = np.where(falls, before_chars + share * (length - before_chars), crossed)
        reached |= now >= rule.threshold
        known = ~np.isnan(now)
        before = np.where(known, now, before)
        before_chars = np.where(known, length, before_chars)
    limit = float(chars[-1]) if rule.limit is None else rule.limit
    ends = np.where(np.isnan(crossed), limit, np.minimum(crossed, limit if rule.limit else np.inf))
    return np.where(reached, ends, 0.0)


def bootstrap_interval(
    curves: Curves, rule: Rule, *, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float] | None:
    """95 % interval over resampled seeds; None with too few of them.

    It lies between percentiles further out than 2.5 and 97.5, as far as Student's t asks for: a few
    seeds drawn again vary less than seeds do, by the root of (seeds - 1) / seeds.

    None for the worst of several axis values too: a minimum over noisy curves is biased low, and
    resampling repeats the bias, so that such an interval hardly ever holds the truth. None where
    all draws agree, as well: seeds that are alike do not show how far off others would be.

    A seed's haystacks are shared by all axis values, so whole seeds are drawn.
    """
    seeds = curves.totals.shape[0]
    if seeds < FEWEST_SEEDS or (rule.reference is None and len(curves.xs) > 1):
        return None
    weights = _weights(seeds, draws, seed)
    totals = np.tensordot(weights, curves.totals, axes=1)
    counts = np.tensordot(weights, curves.counts, axes=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracy = np.where(counts > 0, totals / counts, np.nan)
    lengths = effective_lengths(accuracy, curves, rule)
    tail = _tail(seeds)
    low, high = np.percentile(lengths, [tail, 100 - tail])
    return (float(low), float(high)) if low < high else None


@cache
def _tail(seeds: int) -> float:
    """The percentile that the lower end is at."""
    return 100 * NormalDist().cdf(-math.sqrt(seeds / (seeds - 1)) * t_of_95(seeds - 1))


@lru_cache(maxsize=16)
def _weights(seeds: int, draws: int, seed: int) -> Floats:
    """How often each seed is drawn; the same for all curves with as many seeds."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=draws).astype(np.float64)
    drawn.flags.writeable = False
    return drawn


def curves_of(
    xs: Sequence[float],
    chars: Sequence[float],
    seeds: Sequence[int],
    totals: Sequence[float],
    counts: Sequence[int],
) -> Curves:
    """Curves from one row per axis value, length and seed."""
    all_x, at_x = np.unique(np.asarray(xs, dtype=np.float64), return_inverse=True)
    all_chars, at_chars = np.unique(np.asarray(chars, dtype=np.float64), return_inverse=True)
    all_seeds, at_seed = np.unique(np.asarray(seeds, dtype=np.uint64), return_inverse=True)
    shape = (len(all_seeds), len(all_x), len(all_chars))
    summed, counted = np.zeros(shape), np.zeros(shape)
    np.add.at(summed, (at_seed, at_x, at_chars), np.asarray(totals, dtype=np.float64))
    np.add.at(counted, (at_seed, at_x, at_chars), np.asarray(counts, dtype=np.float64))
    return Curves(xs=all_x, chars=all_chars, totals=summed, counts=counted)
