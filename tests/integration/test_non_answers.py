"""What is no answer is asked once, never scored, and counted apart; overload is only waited out."""

import pytest

from runner.session.summary import end_lines
from state.records import SCORED, AttemptRow, ScoreRow, outcome_of
from tests.fakes.simulated_sweeps import one_model, simulate

NO_ANSWERS = {
    "empty": {"empty"},
    "truncated reasoning": {"truncated_reasoning"},
    "refusal": {"refused", "blocked_output"},
    "content filter": {"refused", "blocked_output"},
    "recitation": {"refused", "blocked_output"},
    "blocked input": {"blocked_input", "blocked_output"},
    "over context": {"over_context"},
    "400": {"invalid_request"},
}
"""What the simulator does, and how a trial may end then: providers differ in what they can say."""


@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_no_answer_is_asked_once_and_never_scored(provider: str, stream: str):
    model = f"limits = {{ concurrency = 1 }}\nstream = {stream}"
    config = one_model(model, provider=provider, repeats=len(NO_ANSWERS) + 2)
    done = simulate(config, script=[*NO_ANSWERS, "truncated"], reply="OK")
    assert done.end.exit_code == 5
    attempts = done.run.store.of(AttemptRow)
    assert len(attempts) == len(NO_ANSWERS) + 2 == len({row.trial_id for row in attempts})
    assert all(row.final for row in attempts)
    ended = [str(outcome_of(row.outcome)) for row in attempts]
    for (fault, allowed), outcome in zip(NO_ANSWERS.items(), ended, strict=False):
        assert outcome in allowed, fault
    assert ended[-2:] == ["truncated", "answered"]
    scored = {row.trial_id for row in done.run.store.of(ScoreRow)}
    assert scored == {row.trial_id for row in attempts if outcome_of(row.outcome) in SCORED}
    assert len(scored) == 2


def test_a_request_that_no_tier_takes_is_not_sent_again():
    config = one_model("limits = { concurrency = 1 }", provider="openai", repeats=2)
    done = simulate(config, script=["too large"], reply="OK")
    assert done.outcomes == {"too_large_for_tier": 1, "answered": 1}


def test_overload_is_waited_out_and_shrinks_no_limit():
    config = one_model("limits = { concurrency = 20 }", repeats=200)
    script = ["529", "503", "overloaded in 500"] * 8
    done = simulate(config, script=script, latency={"first_token_s": 2.0}, reply="OK")
    assert done.end.exit_code == 0
    assert done.outcomes == {"overloaded": 24, "answered": 200}
    last = max(row.arrived_s for row in done.log if row.outcome != "replied")
    assert max(row.in_flight for row in done.log if row.arrived_s > last) == 20


def test_a_run_that_sends_nothing_says_what_stands_in_an_error():
    config = one_model("limits = { concurrency = 1 }", provider="openai", repeats=6)
    script = ["400", "too large", "400"]
    first = simulate(config, script=script, reply="OK")
    standing = {"invalid_request": 2, "too_large_for_tier": 1}
    assert (first.end.exit_code, first.end.errors) == (5, standing)
    again = simulate(config, store=first.run.store, reply="OK")
    assert again.log == []
    assert (again.end.exit_code, again.end.errors) == (5, standing)
    assert not any("done" in line for line in end_lines(again.end))
