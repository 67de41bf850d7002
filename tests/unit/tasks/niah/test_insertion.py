import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.niah.haystack import Haystacks, TokenHaystack, prose_text
from tasks.niah.insertion import context_length, insertion
from tests.unit.tasks.niah.contexts import COUNTER


def test_deeper_is_never_further_up() -> None:
    haystack = Haystacks(COUNTER, prose_text).get(1, 5000)
    places = [insertion(haystack, 5000, depth) for depth in range(101)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("size", "tokens"),
    [(100, 0), (150, 150 - 63), (215, 2), (213, 0), (1000, 787), (12_311, 12_098)],
)
def test_published_slices_with_a_needle_of_13_tokens(size: int, tokens: int) -> None:
    assert context_length(size, 200, 13) == tokens


@given(size=st.integers(1, 5000), buffer=st.integers(0, 400), needle=st.integers(1, 40))
def test_slice_is_that_of_a_python_list(size: int, buffer: int, needle: int) -> None:
    assert context_length(size, buffer, needle) == len(range(size)[: size - buffer - needle])


@given(st.lists(st.sampled_from([1, 13]), min_size=1, max_size=60), st.floats(0, 99.9))
def test_insertion_is_the_published_backward_walk(ids: list[int], depth: float) -> None:
    haystack = TokenHaystack(
        utf8=b"x" * len(ids),
        ends=np.arange(1, len(ids) + 1),
        periods=np.flatnonzero(np.array(ids) == 13),
    )
    at = int(len(ids) * (depth / 100))
    while at > 0 and ids[at - 1] != 13:
        at -= 1
    assert insertion(haystack, len(ids), depth) == at
