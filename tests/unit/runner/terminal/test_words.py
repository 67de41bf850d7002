"""Numbers in words: one function for each question, and a dash for what is unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.terminal.words import (
    UNKNOWN,
    amount,
    asking_again,
    count,
    duration,
    money,
    outside_budget,
    percent,
)


@pytest.mark.parametrize(
    ("usd", "said"),
    [(None, "-"), (0, "$0.00"), (0.00123, "$0.0012"), (1, "$1.00"), (1234.5, "$1,234.50")],
)
def test_money(usd: float | None, said: str):
    assert money(usd) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(None, "-"), (42.9, "42s"), (190, "3m10s"), (18_420, "5h07m")]
)
def test_duration(seconds: float | None, said: str):
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.5, "0.5"), (950, "950"), (12_300, "12.3k"), (1.2e6, "1.2M")]
)
def test_amount(value: float, said: str):
    assert amount(value) == said


@given(st.integers(0, 10**6))
def test_a_duration_is_never_longer_than_what_it_names(seconds: int):
    said = duration(seconds)
    hours, _, rest = said.rpartition("h")
    minutes, _, rest = rest.rpartition("m")
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(rest.removesuffix("s") or 0)
    assert 0 <= seconds - whole < 60


def test_what_is_unknown_is_a_dash():
    assert {money(None), duration(None), percent(None), count(None)} == {UNKNOWN}


def test_what_stands_in_an_error_is_said_with_what_asks_it_again():
    assert asking_again({}) == asking_again({"timeout": 0}) == []
    assert asking_again({"timeout": 2, "transient": 1200, "unscored": 1}) == [
        "1,200 trials ended as transient; ask again with --retry-outcomes transient",
        "2 trials ended as timeout; ask again with --retry-outcomes timeout",
        "1 replies are stored and have no score; the same command scores them",
    ]


def test_calls_that_no_budget_counts_are_said():
    assert outside_budget(0) == []
    (line,) = outside_budget(1200)
    assert line.startswith("1,200 earlier calls were made without a price")
