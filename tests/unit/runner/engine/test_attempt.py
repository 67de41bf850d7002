from runner.engine.attempt import completion_row, unsent_row
from runner.wire import Result
from state.records import Outcome
from tests.fakes.plans import plan_of, sweep_text
from tests.fakes.sweeps import answered


def test_what_was_never_sent_is_attempt_0_and_certainly_free():
    trial = next(plan_of(sweep_text())[1].models[0].trials({}))
    row = unsent_row(trial, 7, "over_context", "too long")
    assert (row.attempt_id, row.n, row.final) == (f"{trial.trial_id}.0", 0, True)
    assert (row.cost_pusd, row.maybe_billed) == (0, False)


def test_a_reply_is_kept_and_nothing_else_is():
    assert completion_row("t", "t.1", answered("yes")) is not None
    assert completion_row("t", "t.1", Result(outcome=Outcome.TIMEOUT)) is None
    cancelled = Result(outcome=Outcome.CANCELLED, text="half")
    assert completion_row("t", "t.1", cancelled) is None
