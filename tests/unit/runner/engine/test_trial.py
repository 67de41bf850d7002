"""One trial, from its first attempt to its last, as its events and rows tell it."""

import pytest

from runner.engine.observers.events import Ended, Event, LaneEnded, Sent, Waits
from runner.engine.retry import RetryPolicy
from runner.progress.states import LaneEnd, Wait
from state.records import AttemptRow, Outcome, StartRow
from tests.fakes.sweeps import ScriptedProvider, SweepRun, answered, failed, limited, simple_config

BROKEN = failed(Outcome.TRANSIENT)


def one_trial(*script: object, budget: str | None = None, **policy: float) -> SweepRun:
    """A trial whose attempts end as the script says, then with answers."""
    provider = ScriptedProvider(script)  # pyright: ignore[reportArgumentType]
    run = SweepRun(
        simple_config(repeats=1, budget=budget),
        {"compat/a": provider},
        policy=RetryPolicy(**policy),  # pyright: ignore[reportArgumentType]
    )
    run.run()
    return run


def told(run: SweepRun) -> list[str]:
    return [_word(event) for event in run.events]


def _word(event: Event) -> str:
    match event:
        case Sent():
            return "sent"
        case Ended():
            return event.row.outcome + (" final" if event.row.final else "")
        case Waits():
            return f"{event.wait} {'begins' if event.begun else 'over'}"
        case LaneEnded():
            return f"lane {event.end}"
        case _:
            return "skipped"


def test_an_answer_is_the_end():
    assert told(one_trial(answered())) == ["sent", "answered final", "lane done"]


def test_an_error_is_asked_again_after_a_while():
    backoff = ["backoff begins", "backoff over"]
    assert told(one_trial(BROKEN, BROKEN)) == [
        "sent",
        "transient",
        *backoff,
        "sent",
        "transient",
        *backoff,
        "sent",
        "answered final",
        "lane done",
    ]


def test_the_last_error_that_is_allowed_is_final():
    run = one_trial(BROKEN, BROKEN, errors=1)
    assert told(run)[-2:] == ["transient final", "lane done"]


def test_a_lane_that_parks_leaves_its_trial_pending():
    run = one_trial(limited(7200.0))
    assert told(run) == ["sent", "lane parked", "rate_limited"]
    assert [event.end for event in run.events if isinstance(event, LaneEnded)] == [LaneEnd.PARKED]


def test_what_stops_the_account_leaves_its_trial_pending():
    run = one_trial(failed(Outcome.BAD_KEY, retry=False))
    assert told(run) == ["sent", "lane stopped", "bad_key"]


def test_every_attempt_has_a_start_with_its_hold_and_a_number():
    run = one_trial(BROKEN, limited(1.0), budget="1usd")
    starts = run.store.of(StartRow)
    assert [start.n for start in starts] == [1, 2, 3]
    assert len({start.reserved_pusd for start in starts}) == 1, "nothing was billed between"
    assert [row.attempt_id for row in run.store.of(AttemptRow)] == [s.attempt_id for s in starts]


def test_an_attempt_that_may_have_been_billed_needs_a_new_hold():
    """The budget holds one worst case and a half: the second attempt is not sent."""
    billed = failed(Outcome.TRANSIENT, billed=True)
    run = one_trial(billed, budget="0.004usd")
    waits = ["backoff begins", "backoff over", "budget begins", "budget over"]
    assert told(run) == ["sent", "transient", *waits, "lane budget"]
    assert len(run.store.of(StartRow)) == 1


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.EMPTY, Outcome.OVER_CONTEXT])
def test_what_the_model_did_is_final_at_once(outcome: Outcome):
    assert told(one_trial(failed(outcome, retry=False))) == [
        "sent",
        f"{outcome} final",
        "lane done",
    ]


def test_waits_come_in_pairs():
    run = one_trial(BROKEN, limited(3.0), BROKEN)
    waits = [event for event in run.events if isinstance(event, Waits)]
    assert [event.begun for event in waits] == [True, False] * 3
    assert {event.wait for event in waits} == {Wait.BACKOFF}
