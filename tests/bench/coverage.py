"""How often each interval that says 95 % holds the truth, in simulated worlds (seeded).

In a world a seed is an instance or haystack that several prompts share: its own rate is drawn about
the true one (Beta, with the correlation that the world has), and its prompts' answers at that rate.
A number as a flag takes so many worlds of each kind.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from queries.bootstrap import Rule, bootstrap_interval, curves_of, effective_lengths
from queries.catalog import install
from state.database.migrate import migrate
from tests.sql.drawn import fill

Floats = NDArray[np.float64]
DRAWS = 400
LEAST = 0.90
"""Under it an interval must not say 95 %."""
SWITCHES = ("cluster", "wilson")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Two models asked the same true/false questions, `variants` of each seed's instance."""

    seeds: int
    variants: int
    rate: float
    """Model a's true rate where the right answer is True; b's is 10 points less, or 0."""
    lean: float = 0.0
    """By how much lower the rate is where the right answer is False."""
    correlation: float = 0.0
    """Of two answers about one instance."""

    def __str__(self) -> str:
        lean = f", leans {self.lean:.2f}" if self.lean else ""
        return (
            f"{self.seeds} seeds x {self.variants}, rate {self.rate:.2f}{lean}, "
            f"correlation {self.correlation:.1f}"
        )

    def rates(self, model: int) -> Floats:
        """By the right answer, True first."""
        rate = max(self.rate - 0.1 * model, 0.0)
        return np.array([rate, max(rate - self.lean, 0.0)])


WORLDS = (
    *(
        World(seeds=seeds, variants=variants, rate=rate, correlation=correlation)
        for seeds, variants in ((4, 11), (6, 11), (10, 11), (30, 11), (100, 1), (10, 1))
        for rate in (0.5, 0.95, 0.99)
        for correlation in ((0.0, 0.5) if variants > 1 else (0.0,))
    ),
    World(seeds=10, variants=11, rate=0.8, lean=0.3, correlation=0.3),
    World(seeds=100, variants=1, rate=0.8, lean=0.3),
)
ACCURACY = """
select avg((ci_low <= $truth and $truth <= ci_high)::int) from accuracy_by_size where model = 'a'
"""
DIFFERENCE = "select avg((ci_low <= $truth and $truth <= ci_high)::int) from cmp_models"
FALSE_BIAS = """
select avg((bias_low <= $truth and $truth <= bias_high)::int) from false_bias where model = 'a'
"""


def answers(world: World, model: int, rng: np.random.Generator) -> Floats:
    """Draws x seeds x variants of 0 and 1; the right answers of seeds take turns."""
    means = np.resize(world.rates(model), world.seeds)
    rates = np.broadcast_to(means, (DRAWS, world.seeds))
    if world.correlation > 0:
        strength = 1 / world.correlation - 1
        inside = np.clip(rates, 1e-9, 1 - 1e-9)
        rates = rng.beta(inside * strength, (1 - inside) * strength)
    drawn = rng.random((DRAWS, world.seeds, world.variants)) < rates[..., np.newaxis]
    return drawn.astype(np.float64)


def filled(world: World, interval: str) -> duckdb.DuckDBPyConnection:
    """A file with a task for each draw."""
    rng = np.random.default_rng(1)
    value = np.stack([answers(world, model, rng) for model in (0, 1)])
    model, draw, seed, variant = np.indices(value.shape).reshape(4, -1)
    connection = duckdb.connect()
    migrate(connection)
    install(connection)
    columns = {
        "model": np.array(["a", "b"], dtype=object)[model],
        "task": np.array([f"draw{n}" for n in range(DRAWS)], dtype=object)[draw],
        "repeat": seed,
        "variant": variant,
        "value": value.ravel(),
        "said": (seed % 2 == 0) == (value.ravel() == 1),
        "early": np.zeros(value.size, dtype=bool),
    }
    return fill(connection, columns, f'{{"report.interval": "{interval}"}}')


def held(world: World, interval: str) -> Mapping[str, float]:
    """By interval, the share that holds the truth."""
    truths = [world.rates(model) for model in (0, 1)]
    means = [float(np.mean(truth)) for truth in truths]
    bias = float(truths[0][1] - truths[0][0])  # wrongly False less wrongly True
    told = {
        "accuracy": (ACCURACY, means[0]),
        "difference": (DIFFERENCE, means[0] - means[1]),
        "false bias": (FALSE_BIAS, bias),
    }
    with filled(world, interval) as connection:
        return {
            name: float((connection.execute(sql, {"truth": truth}).fetchone() or (math.nan,))[0])
            for name, (sql, truth) in told.items()
        }


LENGTHS = np.array([2_000.0, 4_000, 8_000, 16_000, 32_000, 64_000])


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A model whose accuracy falls with length."""

    seeds: int
    prompts: int
    """Of one seed, length and value; they share its luck."""
    steepness: float
    spread: float
    """By how much a seed's own curve is longer or shorter, as a standard deviation of its log."""

    def __str__(self) -> str:
        return (
            f"{self.seeds} seeds x {self.prompts}, steepness {self.steepness:g}, "
            f"spread {self.spread:g}"
        )

    def accuracy(self, half: Floats) -> Floats:
        """Halves by lengths."""
        return 1 / (1 + (LENGTHS / half[..., np.newaxis]) ** self.steepness)


CURVES = tuple(
    Curve(seeds=seeds, prompts=prompts, steepness=steepness, spread=spread)
    for seeds, prompts in ((5, 2), (5, 10), (10, 5), (30, 2))
    for steepness in (1.0, 3.0, 6.0)
    for spread in (0.0, 0.3)
)
RULE = Rule(threshold=0.75, reference=10.0, limit=None)


def held_by_bootstrap(curve: Curve) -> tuple[float, int]:
    """Of the effective context length, over the draws with an estimate and an interval."""
    rng = np.random.default_rng(1)
    many = 20_000
    halves = 24_000 * np.exp(curve.spread * rng.standard_normal(many))
    mean = curve.accuracy(halves).mean(axis=0)
    everything = _curves(np.full((1, len(LENGTHS)), 1.0), 1)
    (truth,) = effective_lengths(mean[np.newaxis, np.newaxis, :], everything, RULE)
    good = given = 0
    for _ in range(DRAWS):
        own = 24_000 * np.exp(curve.spread * rng.standard_normal(curve.seeds))
        totals = rng.binomial(curve.prompts, curve.accuracy(own)).astype(np.float64)
        curves = _curves(totals, curve.prompts)
        found = (totals.sum(axis=0) / (curve.prompts * curve.seeds))[np.newaxis, np.newaxis, :]
        (estimate,) = effective_lengths(found, curves, RULE)
        interval = bootstrap_interval(curves, RULE)
        if interval is None or not LENGTHS[0] <= estimate < LENGTHS[-1]:
            continue
        given += 1
        good += min(interval[0], estimate) <= truth <= max(interval[1], estimate)
    return (good / given if given else math.nan), given


def _curves(totals: Floats, prompts: int):
    seeds = len(totals)
    seed, length = np.indices(totals.shape).reshape(2, -1)
    return curves_of(
        [RULE.reference or 0.0] * len(seed),
        list(LENGTHS[length]),
        list(range(seeds)) if seeds == len(seed) else seed.tolist(),
        totals.ravel().tolist(),
        [prompts] * len(seed),
    )


def lines(most: int | None) -> Iterator[tuple[str, str, float]]:
    """Interval, world, share held."""
    for world in WORLDS[:most]:
        for interval in SWITCHES:
            for name, share in held(world, interval).items():
                yield f"{name} ({interval})", str(world), share
    for curve in CURVES[:most]:
        share, given = held_by_bootstrap(curve)
        yield "effective context", f"{curve} ({given} of {DRAWS})", share


def main() -> None:
    most = int(sys.argv[2]) if len(sys.argv) > 2 else None
    found: dict[str, list[float]] = {}
    for name, world, share in lines(most):
        found.setdefault(name, []).append(share)
        mark = "" if share >= LEAST or math.isnan(share) else "  under 90 %"
        print(f"{name:26} {world:60} {100 * share:6.1f} %{mark}", flush=True)
    print("\ninterval                     worlds   lowest   median")
    for name, shares in found.items():
        told = np.array([share for share in shares if not math.isnan(share)])
        print(f"{name:26} {len(told):8} {100 * told.min():7.1f} % {100 * np.median(told):7.1f} %")
