import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from runner.engine.retry import (
    FINISHED,
    LEFT,
    Again,
    Blame,
    Ends,
    Next,
    RetryCount,
    RetryPolicy,
    Scope,
    backoff_s,
    decide,
)
from runner.limits.limiter import PARK_AFTER_S
from runner.progress.states import LaneEnd
from runner.wire import Result, RetryDecision, RetryKind
from state.records import FINAL, STOPS_ACCOUNT, Outcome


def result(outcome: Outcome, kind: RetryKind, after: float | None = None) -> Result:
    return Result(outcome=outcome, error="why", retry=RetryDecision(kind=kind, retry_after_s=after))


POLICY = RetryPolicy()
NOTHING = RetryCount()


def decided(given: Result, used: RetryCount = NOTHING, elapsed_s: float = 0.0) -> Next:
    return decide(given, used, POLICY, elapsed_s)


def in_turn(given: Result, times: int) -> tuple[list[Next], RetryCount]:
    """What follows each of so many such results, as long as it is asked again."""
    used, steps = NOTHING, list[Next]()
    for _ in range(times):
        step = decided(given, used)
        steps.append(step)
        if isinstance(step, Again):
            used = step.used
    return steps, used


@pytest.mark.parametrize("outcome", sorted(FINAL))
def test_what_says_something_of_the_model_is_not_asked_again(outcome: Outcome):
    assert decided(Result(outcome=outcome)) == FINISHED


def test_a_repeatable_outcome_that_says_no_is_not_asked_again():
    assert decided(Result(outcome=Outcome.TRANSIENT)) == FINISHED


def test_a_cancelled_trial_is_left_for_a_later_run():
    assert decided(Result(outcome=Outcome.CANCELLED)) == LEFT


@pytest.mark.parametrize("outcome", sorted(STOPS_ACCOUNT))
def test_what_stops_an_account_ends_it_with_the_provider_s_words(outcome: Outcome):
    stopped = Ends(Scope.ACCOUNT, LaneEnd.STOPPED, f"{outcome}: why")
    assert decided(result(outcome, RetryKind.NO)) == stopped


def test_retry_after_of_this_response_wins_and_pauses_the_lane():
    limited = result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 7.5)
    assert decided(limited) == Again(7.5, RetryCount(rate_limits=1), pauses_lane=True)


def test_waiting_for_a_rate_limit_uses_up_no_error_retries():
    steps, used = in_turn(result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 1.0), 50)
    assert all(isinstance(step, Again) for step in steps)
    assert (used.errors, used.rate_limits) == (0, 50)


def test_error_retries_are_bounded():
    steps, _ = in_turn(result(Outcome.TRANSIENT, RetryKind.TRANSIENT), 7)
    assert [isinstance(step, Again) for step in steps] == [True] * 5 + [False] * 2
    assert steps[-1] == FINISHED


def test_overload_that_names_a_time_pauses_the_lane():
    overloaded = result(Outcome.OVERLOADED, RetryKind.OVERLOADED, 3.0)
    assert decided(overloaded) == Again(3.0, RetryCount(overloaded=1), pauses_lane=True)


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome.OVERLOADED, RetryKind.OVERLOADED),
        (Outcome.TRANSIENT, RetryKind.TRANSIENT),
        (Outcome.TIMEOUT, RetryKind.TRANSIENT),
    ],
)
def test_a_wait_grows_with_its_own_kind_of_failure(outcome: Outcome, kind: RetryKind):
    used = RetryCount(errors=2, overloaded=2, timeouts=0, rate_limits=9)
    if outcome is not Outcome.TIMEOUT:
        used = replace(used, **{"errors" if outcome is Outcome.OVERLOADED else "overloaded": 4})
    used = replace(used, **{"errors" if outcome is Outcome.TRANSIENT else "overloaded": 0})
    step = decided(result(outcome, kind), used)
    assert isinstance(step, Again)
    assert step.delay_s <= 2 * POLICY.first_delay_s


@pytest.mark.parametrize("blame", [Blame.WAY, Blame.OUTAGE])
def test_what_is_the_way_s_uses_up_nothing_and_is_bound_by_no_time(blame: Blame):
    used = RetryCount(errors=5)
    failed = result(Outcome.TRANSIENT, RetryKind.TRANSIENT)
    step = decide(failed, used, POLICY, 2 * POLICY.total_s, blame)
    assert isinstance(step, Again)
    assert step.used == used
    assert (step.delay_s == 0) is (blame is Blame.OUTAGE)
    asked = result(Outcome.OVERLOADED, RetryKind.OVERLOADED, 30.0)
    told = decide(asked, used, POLICY, 2 * POLICY.total_s, blame)
    assert told == Again(30.0, used, pauses_lane=True)


def test_a_timeout_is_repeated_once():
    steps, _ = in_turn(result(Outcome.TIMEOUT, RetryKind.TRANSIENT), 2)
    assert [isinstance(step, Again) for step in steps] == [True, False]


def test_a_stale_connection_is_repeated_at_once_but_not_for_ever():
    steps, used = in_turn(result(Outcome.TRANSIENT, RetryKind.STALE_CONNECTION), 4)
    assert [step.delay_s for step in steps if isinstance(step, Again)] == [0.0] * 3
    assert steps[-1] == FINISHED
    assert used.errors == 0


def test_total_time_is_bounded_and_a_rate_limit_parks_the_lane_then():
    limited = result(Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT, 10.0)
    assert isinstance(decided(limited, elapsed_s=POLICY.total_s - 11), Again)
    parked = Ends(Scope.LANE, LaneEnd.PARKED, "still rate limited: why")
    assert decided(limited, elapsed_s=POLICY.total_s - 9) == parked
    broken = result(Outcome.TRANSIENT, RetryKind.TRANSIENT, 10.0)
    assert decided(broken, elapsed_s=POLICY.total_s - 9) == FINISHED


def test_a_wait_of_hours_parks_the_lane_whoever_asks_for_it():
    for outcome, kind in (
        (Outcome.RATE_LIMITED, RetryKind.RATE_LIMIT),
        (Outcome.OVERLOADED, RetryKind.OVERLOADED),
    ):
        parked = Ends(Scope.LANE, LaneEnd.PARKED, "asked to wait 2.0 h")
        assert decided(result(outcome, kind, 2 * PARK_AFTER_S)) == parked


@given(
    outcome=st.sampled_from([*Outcome]),
    kind=st.sampled_from([*RetryKind]),
    after=st.none() | st.floats(0, 8000),
    used=st.builds(
        RetryCount,
        errors=st.integers(0, 5),
        overloaded=st.integers(0, 20),
        timeouts=st.integers(0, 1),
        stale=st.integers(0, 3),
        rate_limits=st.integers(0, 100),
    ),
    elapsed_s=st.floats(0, 8000),
)
def test_each_repeat_uses_up_one_and_none_begins_too_late(
    outcome: Outcome, kind: RetryKind, after: float | None, used: RetryCount, elapsed_s: float
):
    before = replace(used)
    step = decide(result(outcome, kind, after), used, POLICY, elapsed_s)
    assert used == before
    if isinstance(step, Again):
        fields = [field for field in RetryCount.__struct_fields__ if field != "fault"]
        counts = [getattr(step.used, f) - getattr(used, f) for f in fields]
        assert sorted(counts) == [0, 0, 0, 0, 1]
        assert elapsed_s + step.delay_s <= POLICY.total_s
        assert step.delay_s >= (after or 0.0) or kind is RetryKind.STALE_CONNECTION
        assert step.used.errors <= POLICY.errors
        assert step.used.overloaded <= POLICY.overloaded
        assert step.used.timeouts <= POLICY.timeouts
        assert step.used.stale <= POLICY.stale


@pytest.mark.parametrize("times", range(1, 12))
def test_backoff_grows_is_jittered_and_capped(times: int):
    floor = min(2.0 ** (times - 1), POLICY.largest_delay_s)
    delays = {backoff_s(POLICY, times) for _ in range(20)}
    assert all(floor <= delay <= POLICY.largest_delay_s for delay in delays)
    assert len(delays) > 1 or floor == POLICY.largest_delay_s


def test_a_malformed_reply_that_repeats_exactly_is_not_bought_a_third_time():
    def broken(error: str) -> Result:
        again = RetryDecision(kind=RetryKind.TRANSIENT)
        return Result(outcome=Outcome.MALFORMED, error=error, retry=again, maybe_billed=True)

    first = decided(broken("no message in chatcmpl-1a2b"))
    assert isinstance(first, Again)
    assert decided(broken("no message in chatcmpl-9z8y"), first.used) == FINISHED
    assert isinstance(decided(broken("another fault"), first.used), Again)
