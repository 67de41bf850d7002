"""What is expected of a provider's cache lies between nothing and what the plan allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.forecast.per_model import NOTHING_CACHED, Cached
from runner.money.price import Rates

RATES = Rates(input=100, output=500, cache_read=10, cache_write=125)
SHARES = st.floats(0, 1)


def test_without_bills_nothing_is_expected():
    assert NOTHING_CACHED.rate(RATES, 1.0) == 100


def test_reads_are_cheaper_writes_dearer():
    assert Cached(read=0.5).rate(RATES, 1.0) == pytest.approx(55)
    assert Cached(write=0.4).rate(RATES, 1.0) == pytest.approx(110)
    assert Cached(read=0.5, write=0.5).rate(RATES, 1.0) == pytest.approx(67.5)


def test_no_more_is_read_than_was_sent_before():
    assert Cached(read=0.9).rate(RATES, 0.0) == 100
    assert Cached(read=0.9).rate(RATES, 0.5) == pytest.approx(55)


def test_a_rate_that_is_not_listed_is_that_of_input():
    plain = Rates(input=100, output=500)
    assert Cached(read=0.5, write=0.5).rate(plain, 1.0) == pytest.approx(100)


@given(read=SHARES, write=SHARES, shared=SHARES)
def test_it_stays_between_the_rates(read: float, write: float, shared: float):
    rate = Cached(read=read, write=write).rate(RATES, shared)
    assert 10 - 1e-9 <= rate <= 125 + 1e-9
