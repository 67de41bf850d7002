"""What a lane's dispatcher sends, and what it records without sending."""

from runner.engine.observers.events import LaneEnded, Sent, Skipped
from runner.progress.states import LaneEnd
from state.records import AttemptRow, Outcome, StartRow
from tests.fakes.sweeps import ScriptedProvider, SweepRun, simple_config


def ran(**config: object) -> SweepRun:
    run = SweepRun(simple_config(**config), {"compat/a": ScriptedProvider()})  # pyright: ignore[reportArgumentType]
    run.run()
    return run


def test_trials_are_sent_in_plan_order():
    run = ran(repeats=6)
    sent = [event.attempt_id for event in run.events if isinstance(event, Sent)]
    assert sent == [f"{trial.trial_id}.1" for trial in run.plan.models[0].trials({})]


def test_a_prompt_above_the_window_is_told_and_never_sent():
    run = ran(repeats=2, model="context_window = 500")
    skipped = [event for event in run.events if isinstance(event, Skipped)]
    assert [event.outcome for event in skipped] == [Outcome.OVER_CONTEXT] * 2
    assert [row.n for row in run.store.of(AttemptRow)] == [0, 0]
    assert not run.store.of(StartRow)


def test_a_lane_ends_once_and_says_why():
    for budget, end in ((None, LaneEnd.DONE), ("0.003usd", LaneEnd.BUDGET)):
        run = ran(repeats=40, budget=budget)
        assert [event.end for event in run.events if isinstance(event, LaneEnded)] == [end]


def test_a_lane_at_its_end_holds_no_prompt_and_no_money():
    run = ran(repeats=40, budget="0.003usd")
    assert run.engine is not None
    assert run.engine.view().held_usd == 0
    assert [lane.window.used_bytes for lane in run.engine._lanes] == [0]
