"""Ticks stand at swept sizes, keep both ends, and leave room for their labels."""

from itertools import pairwise
from math import log

from hypothesis import given
from hypothesis import strategies as st

from runner.report.charts.ticks import CHAR_PX, PADDING_PX, ticks
from runner.terminal import words

WIDTH = 210


def test_all_have_a_tick_where_there_is_room() -> None:
    assert ticks([600, 150, 300, 150], width=WIDTH, logarithmic=False) == [150, 300, 600]
    assert ticks([500], width=WIDTH, logarithmic=False) == [500]
    assert ticks([], width=WIDTH, logarithmic=True) == []


def test_the_ends_keep_theirs() -> None:
    sizes = [2000, 4000, 8000, 16000, 32000, 50000, 100_000, 200_000]
    assert ticks(sizes, width=WIDTH, logarithmic=True) == [2000, 4000, 8000, 16000, 32000, 200_000]
    assert ticks(sizes, width=2 * WIDTH, logarithmic=True) == sizes
    assert ticks([1, 2, 1000], width=WIDTH, logarithmic=False) == [1, 1000]


@given(
    sizes=st.lists(st.integers(1, 4_000_000), min_size=2, max_size=60, unique=True),
    logarithmic=st.booleans(),
)
def test_labels_never_touch(sizes: list[int], logarithmic: bool) -> None:
    kept = ticks(sizes, width=WIDTH, logarithmic=logarithmic)
    assert {min(sizes), max(sizes)} <= set(kept) <= set(sizes)
    place = log if logarithmic else float
    first, last = place(kept[0]), place(kept[-1])
    for low, high in pairwise(kept):
        apart = (place(high) - place(low)) / (last - first) * (WIDTH - 2 * PADDING_PX)
        labels = len(words.length(low)) + len(words.length(high))
        assert apart > labels * CHAR_PX / 2
