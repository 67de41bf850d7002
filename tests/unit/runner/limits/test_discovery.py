import itertools

import pytest

from runner.limits.discovery import Discovery, Taken


def test_the_first_rate_assumes_a_bucket_that_began_full():
    rates = Discovery().refused(Taken(130, 13_000), started=0.0, now=5.0)
    assert rates is not None
    assert rates.requests == pytest.approx(120)
    assert rates.tokens == pytest.approx(12_000)


def test_a_later_rate_is_what_was_refilled_between_two_refusals():
    discovery = Discovery()
    discovery.emptied(Taken(130, 13_000), 5.0)
    assert discovery.refused(Taken(150, 15_000), started=0.0, now=25.0) == Taken(60, 6000)


def test_two_refusals_close_together_are_no_span_to_measure():
    discovery = Discovery()
    discovery.emptied(Taken(130, 13_000), 5.0)
    rates = discovery.refused(Taken(132, 13_200), started=0.0, now=6.0)
    assert rates == Taken(120, 12_000)


def test_nothing_is_said_where_nothing_came_through():
    assert Discovery().refused(Taken(1, 100), started=0.0, now=1.0) is None


def test_what_was_sent_before_the_refusal_and_used_less_is_not_counted_as_refill():
    discovery = Discovery()
    discovery.emptied(Taken(130, 13_000), 5.0)
    discovery.correct(-1, -100)
    rates = discovery.refused(Taken(149, 14_900), started=0.0, now=25.0)
    assert rates == Taken(60, 6000)


def test_a_confirmed_rate_is_tried_again_later_and_a_growing_one_sooner():
    discovery = Discovery()
    tried = list[float]()
    for now in range(400):
        if discovery.may_grow(float(now)):
            tried.append(now)
            discovery.refused(Taken(now + 1, now + 1), started=0.0, now=float(now))
    gaps = [later - sooner for sooner, later in itertools.pairwise(tried)]
    assert gaps[0] >= 10
    assert gaps == sorted(gaps)


def test_a_refusal_that_teaches_nothing_leaves_the_span_that_is_measured_open():
    discovery = Discovery()
    discovery.emptied(Taken(130, 13_000), 5.0)
    assert discovery.refused(Taken(130, 13_000), started=0.0, now=20.0) is None
    assert discovery.refused(Taken(150, 15_000), started=0.0, now=25.0) == Taken(60, 6000)
