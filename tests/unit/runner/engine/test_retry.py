import pytest

from runner.engine.retry import Delay, RetryCount, RetryPolicy, backoff_s, next_delay
from runner.wire import Result, RetryDecision, RetryKind
from state.records import Outcome


def result(outcome: Outcome, kind: RetryKind, after: float | None = None) -> Result:
    return Result(outcome=outcome, retry=RetryDecision(kind=kind, retry_after_s=after))


POLICY = RetryPolicy()


def test_an_answer_is_not_asked_again():
    assert next_delay(POLICY, RetryCount(), Result(outcome=Outcome.ANSWERED), 0.0) is None


def test_a_repeatable_outcome_that_says_no_is_not_asked_again():
    said_no = Result(outcome=Outcome.TRANSIENT)
    assert next_delay(POLICY, RetryCount(), said_no, 0.0) is None


def test_retry_after_of_this_response_wins_and_pauses_the_lane():
    limited = result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 7.5)
    assert next_delay(POLICY, RetryCount(), limited, 0.0) == Delay(seconds=7.5, pauses_lane=True)


def test_waiting_for_a_rate_limit_uses_up_no_error_retries():
    used = RetryCount()
    limited = result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 1.0)
    for _ in range(50):
        assert next_delay(POLICY, used, limited, 0.0) is not None
    assert (used.errors, used.rate_limits) == (0, 50)


def test_error_retries_are_bounded():
    used = RetryCount()
    broken = result(Outcome.TRANSIENT, RetryKind.TRANSIENT)
    delays = [next_delay(POLICY, used, broken, 0.0) for _ in range(7)]
    assert [delay is not None for delay in delays] == [True] * 5 + [False] * 2


def test_overload_that_names_a_time_pauses_the_lane():
    overloaded = result(Outcome.OVERLOADED, RetryKind.OVERLOADED, 3.0)
    assert next_delay(POLICY, RetryCount(), overloaded, 0.0) == Delay(seconds=3.0, pauses_lane=True)


def test_a_timeout_is_repeated_once():
    used = RetryCount()
    late = result(Outcome.TIMEOUT, RetryKind.TRANSIENT)
    assert next_delay(POLICY, used, late, 0.0) is not None
    assert next_delay(POLICY, used, late, 0.0) is None


def test_a_stale_connection_is_repeated_at_once_but_not_for_ever():
    used = RetryCount()
    stale = result(Outcome.TRANSIENT, RetryKind.STALE_CONNECTION)
    delays = [next_delay(POLICY, used, stale, 0.0) for _ in range(4)]
    assert delays == [Delay(seconds=0.0)] * 3 + [None]
    assert used.errors == 0


def test_total_time_is_bounded():
    limited = result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 10.0)
    assert next_delay(POLICY, RetryCount(), limited, POLICY.total_s - 11) is not None
    assert next_delay(POLICY, RetryCount(), limited, POLICY.total_s - 9) is None


@pytest.mark.parametrize("errors", range(1, 12))
def test_backoff_grows_is_jittered_and_capped(errors: int):
    used = RetryCount(errors=errors)
    floor = min(2.0 ** (errors - 1), POLICY.largest_delay_s)
    delays = {backoff_s(POLICY, used) for _ in range(20)}
    assert all(floor <= delay <= POLICY.largest_delay_s for delay in delays)
    assert len(delays) > 1 or floor == POLICY.largest_delay_s
