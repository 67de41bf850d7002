import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.ladders import ladder
from tasks.sample import Axis, TaskError

SIZES = Axis(name="size", published=(1000,), integer=True, minimum=1)


@given(low=st.integers(1, 10_000), more=st.integers(200, 100_000), n=st.integers(2, 40))
def test_a_ladder_has_its_ends_its_number_of_steps_and_rises(low: int, more: int, n: int):
    values = ladder({"min": low, "max": low + more, "n": n}, SIZES)
    assert (values[0], values[-1], len(values)) == (low, low + more, n)
    assert list(values) == sorted(set(values))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"min": 1, "max": 9, "n": 3, "step": 2}, "no key 'step'"),
        ({"min": 9, "max": 1, "n": 3}, "more than max"),
        ({"min": 1, "max": 3, "n": 9}, "fewer values"),
        ({"min": 1, "n": 3}, "max is missing"),
        ({"min": 1, "max": 9, "n": 0}, "whole number"),
        ({"min": 1, "max": 9, "n": 3, "spacing": "cubic"}, "linear, sigmoid"),
    ],
)
def test_a_ladder_that_cannot_be_climbed_says_why(table: dict[str, object], said: str):
    with pytest.raises(TaskError, match=said):
        ladder(table, SIZES)
