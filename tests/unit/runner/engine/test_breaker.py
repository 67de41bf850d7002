import pytest

from runner.engine.breaker import BREAKER_AFTER, Breaker
from runner.wire import Result
from state.records import Outcome
from tests.fakes.sweeps import answered, failed, limited


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
