"""The statistics of the views against SciPy's, over a thousand random tables each."""

import math
from random import Random

import duckdb
import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

from tests.sql.drawn import fill
from tests.sql.facts import emptied

TABLES = 1_000
Drawn = list[tuple[str, str, int, bool, bool]]
"""Model, task, repeat, whether it is right, whether it answered early."""


def filled(drawn: Drawn) -> duckdb.DuckDBPyConnection:
    model, task, repeat, right, early = map(np.array, zip(*drawn, strict=True))
    columns = {"model": model.astype(object), "task": task.astype(object), "repeat": repeat,
               "variant": np.zeros(len(drawn)), "value": right.astype(float), "said": right,
               "early": early}  # fmt: skip
    return fill(emptied().cursor(), columns)


def random_counts(rng: Random) -> tuple[int, int, int, int]:
    """Skewed, with zeros, and in all sizes that a small sweep has."""
    most = rng.choice((1, 3, 8, 20))
    a, b, c, d = (rng.randint(0, most) for _ in range(4))
    return (a, b, c, d) if a + b + c + d else (1, 0, 0, 0)


def test_fisher_and_odds_are_scipys() -> None:
    rng = Random(1)
    tables = [random_counts(rng) for _ in range(TABLES)]
    drawn: Drawn = []
    for number, counts in enumerate(tables):
        cells = zip(
            counts, ((True, False), (True, True), (False, False), (False, True)), strict=True
        )
        kinds = [kind for count, kind in cells for _ in range(count)]
        drawn += [
            (f"m{number}", "any.task", repeat, right, early)
            for repeat, (early, right) in enumerate(kinds)
        ]
    with filled(drawn) as connection:
        found = connection.execute(
            "select model, odds_ratio, p_greater, p_two_sided from odds_ratios "
            "where failure = 'early_answer'"
        ).fetchall()
    assert len(found) == TABLES
    for model, odds, greater, two_sided in found:
        a, b, c, d = tables[int(model[1:])]
        square = np.array([[a, b], [c, d]])
        expected = float(fisher_exact(square).statistic)
        assert (math.nan if odds is None else odds) == pytest.approx(expected, nan_ok=True), square
        assert greater == pytest.approx(fisher_exact(square, "greater").pvalue), square
        assert two_sided == pytest.approx(fisher_exact(square).pvalue), square


def test_mcnemar_is_scipys_and_its_interval_holds_the_difference() -> None:
    rng = Random(2)
    tables = [random_counts(rng) for _ in range(TABLES)]
    drawn: Drawn = []
    for number, counts in enumerate(tables):
        cells = zip(
            counts, ((True, True), (True, False), (False, True), (False, False)), strict=True
        )
        kinds = [kind for count, kind in cells for _ in range(count)]
        for repeat, both in enumerate(kinds):
            drawn += [
                (model, f"any.task{number}", repeat, right, False)
                for model, right in zip("ab", both, strict=True)
            ]
    with filled(drawn) as connection:
        found = connection.execute(
            "select task, n_pairs, a_better, b_better, p_mcnemar, ci_low, difference, ci_high "
            "from cmp_models"
        ).fetchall()
    assert len(found) == TABLES
    for task, n, a_better, b_better, p, low, difference, high in found:
        counts = tables[int(task.removeprefix("any.task"))]
        assert (n, a_better, b_better) == (sum(counts), counts[1], counts[2])
        unlike = counts[1] + counts[2]
        expected = binomtest(counts[1], unlike).pvalue if unlike else 1.0
        assert p == pytest.approx(expected), counts
        assert difference == pytest.approx((counts[1] - counts[2]) / sum(counts))
        assert -1 <= low <= difference <= high <= 1
        assert high - low > 0.01


def test_wilson_is_scipys() -> None:
    rng = Random(3)
    pairs = [(rng.randint(0, n), n) for n in (rng.choice((1, 2, 5, 17)) for _ in range(TABLES))]
    drawn = [
        ("m", f"any.task{number}", repeat, repeat < right, False)
        for number, (right, n) in enumerate(pairs)
        for repeat in range(n)
    ]
    with filled(drawn) as connection:
        found = connection.execute("select task, ci_low, ci_high from cell_accuracy").fetchall()
    assert len(found) == TABLES
    for task, low, high in found:
        wilson = binomtest(*pairs[int(task.removeprefix("any.task"))]).proportion_ci(
            method="wilson"
        )
        assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=1e-9)
