"""The bootstrap reads lengths by the same rules as SQL, and its interval holds them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.bootstrap import Rule, bootstrap_interval, curves_of, effective_lengths

RULE = Rule(threshold=0.75, reference=5, limit=100_000)


def curves(values, xs=(5,), chars=(2000, 4000, 8000)):
    """values[seed][x][length], None for a gap."""
    rows = [
        (x, length, seed, value, 1)
        for seed, by_x in enumerate(values)
        for x, by_length in zip(xs, by_x, strict=True)
        for length, value in zip(chars, by_length, strict=True)
        if value is not None
    ]
    return curves_of(*zip(*rows, strict=True))  # type: ignore[arg-type]


def read(by_x, rule, xs=(5,), chars=(2000, 4000, 8000)):
    made = curves([by_x], xs, chars)
    with np.errstate(invalid="ignore"):
        accuracy = np.where(made.counts > 0, made.totals / made.counts, np.nan)
    return float(effective_lengths(accuracy, made, rule)[0])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ((1.0, 1.0, 0.0), 5000),
        ((0.2, 0.5, 0.7), 0),
        ((1.0, 0.9, 0.8), 100_000),
        ((0.1, 1.0, 0.5), 6000),
        ((1.0, 0.5, 1.0), 3000),
        ((1.0, None, 0.0), 3500),
    ],
)
def test_lengths_are_read_as_in_sql(line, expected):
    assert read([line], RULE) == pytest.approx(expected)


def test_the_last_fall_where_the_switch_says_so():
    rule = Rule(threshold=0.75, reference=5, limit=None, crossing="last_down")
    assert read([(1.0, 0.5, 1.0, 0.0)], rule, chars=(1, 2, 3, 4)) == pytest.approx(3.25)


def test_the_worst_axis_value_and_values_in_between():
    lines = [(1.0, 1.0, 1.0), (1.0, 0.0, 0.0)]
    worst = Rule(threshold=0.75, reference=None, limit=None)
    assert read(lines, worst, xs=(0, 50)) == 2500
    between = Rule(threshold=0.75, reference=10, limit=None)
    assert read(lines, between, xs=(5, 15)) == 3000
    beyond = Rule(threshold=0.75, reference=99, limit=None)
    assert read(lines, beyond, xs=(5, 15)) == 2500


def test_too_few_seeds_have_no_interval():
    assert bootstrap_interval(curves([[(1.0, 1.0, 0.0)]] * 4), RULE) is None


def test_a_minimum_over_several_values_has_no_interval():
    worst = Rule(threshold=0.75, reference=None, limit=None)
    lines = [(1.0, 1.0, 0.0), (1.0, 0.0, 0.0)]
    assert bootstrap_interval(curves([lines] * 6, xs=(0, 50)), worst) is None
    unlike = curves([lines[:1], lines[1:]] * 3, xs=(50,))
    assert bootstrap_interval(unlike, worst) is not None


def test_equal_seeds_have_no_interval_and_others_the_same_draws_each_time():
    same = curves([[(1.0, 1.0, 0.0)]] * 5)
    assert bootstrap_interval(same, RULE) is None
    mixed = curves([[(1.0, 1.0, 0.0)], [(1.0, 0.0, 0.0)], [(1.0, 1.0, 1.0)]] * 2)
    assert bootstrap_interval(mixed, RULE) == bootstrap_interval(mixed, RULE)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=5, max_size=8))
def test_the_interval_is_ordered_and_within_what_is_possible(by_seed):
    made = curves([[tuple(map(float, line))] for line in by_seed])
    interval = bootstrap_interval(made, RULE, draws=50)
    if interval is None:  # all draws agree, as they do where the seeds are alike
        return
    low, high = interval
    assert 0 <= low < high <= 100_000
