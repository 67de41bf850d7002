import pytest

from runner.engine.breaker import BREAKER_AFTER, STARVED_AFTER, Breaker, Starvation
from runner.wire import Result
from state.records import Outcome
from tests.fakes.sweeps import answered, failed, limited

STARVED, ANSWERED = Outcome.TRUNCATED_REASONING, Outcome.ANSWERED


def refused(text: str) -> Result:
    return failed(Outcome.INVALID_REQUEST, error=text)


def test_identical_refusals_trip_it_whatever_their_numbers():
    breaker = Breaker()
    trips = [breaker.trips(refused(f"request {n} is bad")) for n in range(BREAKER_AFTER)]
    assert trips == [False] * (BREAKER_AFTER - 1) + [True]


@pytest.mark.parametrize(
    "between",
    [limited(None), failed(Outcome.OVERLOADED), failed(Outcome.TRANSIENT), failed(Outcome.TIMEOUT)],
    ids=lambda result: result.outcome,
)
def test_what_is_no_answer_between_them_resets_nothing(between: Result):
    breaker = Breaker()
    row = [
        breaker.trips(result) for n in range(BREAKER_AFTER) for result in (refused("x"), between)
    ]
    assert row.index(True) == 2 * (BREAKER_AFTER - 1)


def test_an_answer_or_another_refusal_between_them_starts_the_count_anew():
    for between in (answered(), refused("another reason")):
        breaker = Breaker()
        row = [refused("bad")] * (BREAKER_AFTER - 1)
        assert not any(breaker.trips(result) for result in [*row, between, *row])


def test_so_many_of_one_kind_in_a_row_trip_it():
    starvation = Starvation()
    trips = [starvation.trips(STARVED, "task", "task 1000") for _ in range(STARVED_AFTER)]
    assert trips == [False] * (STARVED_AFTER - 1) + [True]


def test_an_answer_of_the_kind_starts_it_anew_and_one_of_another_kind_does_not():
    starvation = Starvation()
    for _ in range(STARVED_AFTER - 1):
        assert not starvation.trips(STARVED, "task", "task 9000")
        assert not starvation.trips(ANSWERED, "task", "task 1000")
    assert starvation.trips(STARVED, "task", "task 9000")
    starvation = Starvation()
    for _ in range(STARVED_AFTER - 1):
        assert not starvation.trips(STARVED, "task")
    assert not starvation.trips(ANSWERED, "task")
    assert not starvation.trips(STARVED, "task")


def test_errors_and_refusals_between_them_reset_nothing():
    starvation = Starvation()
    for _ in range(STARVED_AFTER - 1):
        assert not starvation.trips(STARVED, "task")
        assert not starvation.trips(Outcome.TRANSIENT, "task")
        assert not starvation.trips(Outcome.REFUSED, "task")
    assert starvation.trips(STARVED, "task")
