from runner.engine.starvation import STARVED_AFTER, Starvation
from state.records import Outcome

STARVED, ANSWERED = Outcome.TRUNCATED_REASONING, Outcome.ANSWERED


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
