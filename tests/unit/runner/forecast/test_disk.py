from runner.forecast.disk import BYTES_PER_TRIAL, disk_bytes, plan_bytes
from tests.fakes.plans import plan_of, sweep_text


def test_a_file_grows_with_trials_and_with_what_is_written():
    assert disk_bytes(10, 0) - disk_bytes(9, 0) == BYTES_PER_TRIAL
    assert disk_bytes(1, 1000) > disk_bytes(1, 10)


def test_a_plan_takes_as_much_as_its_trials_with_usual_replies():
    few = plan_of(sweep_text(sweep="repeats = 1"))[1]
    many = plan_of(sweep_text(sweep="repeats = 3"))[1]
    assert disk_bytes(few.n_trials, 0) < plan_bytes(few) < plan_bytes(many)
