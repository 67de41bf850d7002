"""Limits are enforced exactly, in the test's own time."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from runner.simulator.account.limits import DAY_S, Meter
from runner.simulator.spec.settings import LimitSettings


def needs(inputs: int = 0, outputs: int = 0) -> dict:
    return {
        "requests": 1,
        "input_tokens": inputs,
        "output_tokens": outputs,
        "tokens": inputs + outputs,
    }


def test_a_full_minute_at_once_then_an_even_trickle():
    meter = Meter(LimitSettings(rpm=60), 0.0)
    taken = [meter.admit(needs(), 0.0, 0) for _ in range(61)]
    assert taken[:60] == [None] * 60
    refusal = taken[60]
    assert refusal is not None
    assert (refusal.kind, refusal.dimension, refusal.limit) == ("rate_limit", "requests", 60)
    assert refusal.retry_s == 1.0 - 1e-6
    assert meter.admit(needs(), 0.99, 0) is not None
    assert meter.admit(needs(), 1.0, 0) is None


def test_a_refused_request_takes_nothing_from_any_bucket():
    meter = Meter(LimitSettings(rpm=10, itpm=100), 0.0)
    assert meter.admit(needs(100), 0.0, 0) is None
    assert meter.admit(needs(1), 0.0, 0) is not None
    requests, inputs = meter.states(0.0)
    assert (requests.remaining, inputs.remaining) == (9, 0)
    assert inputs.reset_s == 60.0


def test_the_longest_wait_is_told():
    meter = Meter(LimitSettings(rpm=1, otpm=60), 0.0)
    assert meter.admit(needs(0, 30), 0.0, 0) is None
    refusal = meter.admit(needs(0, 60), 0.0, 0)
    assert refusal is not None
    assert refusal.dimension == "requests"
    assert round(refusal.retry_s) == 60


def test_an_oversize_request_needs_a_full_bucket_and_leaves_a_debt():
    meter = Meter(LimitSettings(itpm=100), 0.0)
    assert meter.admit(needs(1), 0.0, 0) is None
    assert meter.admit(needs(300), 0.0, 0) is not None
    assert meter.admit(needs(300), 0.6, 0) is None
    refusal = meter.admit(needs(1), 0.6, 0)
    assert refusal is not None
    assert round(refusal.retry_s, 3) == 120.6
    assert meter.admit(needs(1), 0.6 + 120.6, 0) is None


def test_an_oversize_request_may_be_refused_for_good():
    meter = Meter(LimitSettings(tpm=100, oversize="reject"), 0.0)
    refusal = meter.admit(needs(90, 20), 0.0, 0)
    assert refusal is not None
    assert (refusal.kind, refusal.requested) == ("too_large", 110)


def test_days_are_counted_from_the_first_request():
    meter = Meter(LimitSettings(rpd=2), 100.0)
    assert [meter.admit(needs(), 100.0, 0) for _ in range(2)] == [None, None]
    refusal = meter.admit(needs(), 200.0, 0)
    assert refusal is not None
    assert (refusal.kind, refusal.retry_s) == ("daily_limit", DAY_S - 100)
    assert meter.admit(needs(), 100.0 + DAY_S, 0) is None


def test_slots():
    meter = Meter(LimitSettings(concurrency=2), 0.0)
    assert meter.admit(needs(), 0.0, 1) is None
    refusal = meter.admit(needs(), 0.0, 2)
    assert refusal is not None
    assert refusal.kind == "concurrency"


@given(
    limit=st.integers(1, 500),
    steps=st.lists(st.tuples(st.floats(0, 30, allow_nan=False), st.integers(1, 700)), max_size=60),
)
def test_no_minute_sees_more_than_two_buckets(limit: int, steps: list[tuple[float, int]]):
    """A bucket that starts full and refills lets at most twice the limit through in a minute,
    beyond the one oversize request that may have overdrawn it."""
    meter, now_s = Meter(LimitSettings(itpm=limit), 0.0), 0.0
    window: deque[tuple[float, int]] = deque()
    for gap_s, amount in steps:
        now_s += gap_s
        if meter.admit(needs(amount), now_s, 0) is None:
            window.append((now_s, amount))
        while window and window[0][0] < now_s - 60:
            window.popleft()
        over = max((amount - limit for _, amount in window), default=0)
        assert sum(amount for _, amount in window) <= 2 * limit + max(0, over) + 1


@given(
    limit=st.integers(1, 100_000),
    amounts=st.lists(st.integers(0, 100_000), min_size=1, max_size=30),
)
def test_waiting_as_told_is_enough(limit: int, amounts: list[int]):
    meter, now_s = Meter(LimitSettings(itpm=limit), 0.0), 0.0
    for amount in amounts:
        refusal = meter.admit(needs(amount), now_s, 0)
        if refusal is not None:
            now_s += refusal.retry_s + 1e-6
            assert meter.admit(needs(amount), now_s, 0) is None
