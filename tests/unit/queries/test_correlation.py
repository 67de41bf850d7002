import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincc
from scipy.stats import pearsonr
from scipy.stats import t as student

from queries.correlation import p_of_correlation, t_of_95


@given(st.floats(-1, 1), st.integers(3, 60))
def test_agrees_with_the_beta_function(r, pairs):
    expected = betaincc(0.5, pairs / 2 - 1, r * r)
    assert p_of_correlation(r, pairs) == pytest.approx(expected, abs=1e-13)


def test_agrees_with_scipy_over_real_pairs():
    xs, ys = [0.9, 0.8, 0.65, 0.7, 0.2], [0.95, 0.7, 0.6, 0.5, 0.4]
    found = pearsonr(xs, ys)
    assert p_of_correlation(found.statistic, 5) == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.parametrize("pairs", [3, 4, 5, 12])
def test_no_correlation_is_certain_and_a_perfect_one_impossible_by_chance(pairs):
    assert p_of_correlation(0.0, pairs) == 1.0
    assert p_of_correlation(1.0, pairs) == pytest.approx(0.0, abs=1e-15)
    assert p_of_correlation(-1.0000000001, pairs) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 29, 100, 1000])
def test_the_width_of_95_percent_is_students(degrees):
    assert t_of_95(degrees) == pytest.approx(student.ppf(0.975, degrees), rel=1e-9)
