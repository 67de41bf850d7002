import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.plan.order import Permutation


@given(st.integers(0, 3000), st.integers(0, 2**64 - 1))
def test_it_is_a_permutation(size: int, seed: int):
    order = Permutation(size, seed)
    assert sorted(order[index] for index in range(size)) == list(range(size))


def test_it_is_the_same_everywhere_and_differs_by_seed():
    assert [Permutation(10, 7)[index] for index in range(10)] == PINNED
    assert [Permutation(10, 8)[index] for index in range(10)] != PINNED


PINNED = [2, 9, 6, 8, 3, 1, 5, 4, 0, 7]


def test_out_of_range():
    with pytest.raises(IndexError):
        Permutation(5, 0)[5]
    assert len(Permutation(5, 0)) == 5


def test_neighbours_are_spread():
    order = Permutation(100_000, 3)
    near = sum(abs(order[index] - order[index + 1]) < 1000 for index in range(5000))
    assert near < 5000 * 0.04
