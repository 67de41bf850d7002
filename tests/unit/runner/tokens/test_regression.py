import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.tokens.regression import TokenRegression


def line(*bills: tuple[float, float]) -> TokenRegression:
    made = TokenRegression()
    for length, tokens in bills:
        made = made.seen(length, tokens)
    return made


@given(
    st.floats(0, 500),
    st.floats(0.1, 1.0),
    st.lists(st.integers(256, 10**6), min_size=2, max_size=30, unique=True),
    st.integers(256, 10**7),
)
def test_a_straight_line_is_found_again(start: float, slope: float, lengths: list[int], at: int):
    fitted = line(*((length, start + slope * length) for length in lengths))
    if fitted.sloped:
        assert fitted.tokens_of(at) == pytest.approx(start + slope * at, rel=1e-3, abs=1)


def test_one_length_gives_the_mean_ratio():
    assert line((1000, 600), (1100, 680)).tokens_of(10_000) == pytest.approx(6095, rel=1e-3)


def test_a_short_prompts_ratio_does_not_spoil_a_long_ones():
    # 500 characters of prose at 0.22 around a haystack at 0.94.
    short, middle = (2500, 110 + 0.94 * 2000), (8500, 110 + 0.94 * 8000)
    assert line(short, middle).tokens_of(400_500) == pytest.approx(110 + 0.94 * 400_000)


def test_nonsense_bills_still_give_a_number():
    assert line((1000, 900), (100_000, 10)).tokens_of(50_000) > 0


@given(st.lists(st.tuples(st.floats(256, 1e7), st.floats(1, 1e7)), min_size=1, max_size=20))
@example([(256.0, 1.5), (256.0, 1.5), (3512.0, 1.5)])
def test_lines_add_up(bills: list[tuple[float, float]]):
    whole = line(*bills)
    half = len(bills) // 2
    added = line(*bills[:half]) + line(*bills[half:])
    assert added.n == whole.n
    assert added.longest == whole.longest
    assert added.tokens_of(5000) == pytest.approx(whole.tokens_of(5000), rel=1e-6)
