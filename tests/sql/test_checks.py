"""Every check is silent on a sound file, and speaks on the one fault it is about."""

import pytest
from msgspec.structs import replace

from queries.catalog import shipped
from queries.checks import checks
from state.records import AttemptRow, CellRow, ScoreRow, TrialRow
from tests.sql.facts import Facts

SINGLE = "needle_threading.single_needle"


def sound():
    facts = Facts().sweep(budget_pusd=10**12)
    for model in ("alpha", "beta"):
        cell = facts.cell(SINGLE, 2000, model=model, depth=0)
        facts.trial(cell, 1.0)
        facts.trial(cell, outcome="refused")
        facts.trial(cell, outcome="timeout", final=False, cost=None, maybe_billed=True)
    return facts


def replace_first(facts, kind, **changes):
    facts.rows[kind][0] = replace(facts.rows[kind][0], **changes)


def repeat_first(facts, kind, **changes):
    facts.rows[kind].append(replace(facts.rows[kind][0], **changes))


def scored_again_in_part(facts):
    again = facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0)
    facts.score(again, 0.0, at=5, profile="official")


FAULTS = {
    "orphan_trials": lambda facts: facts.rows[CellRow].pop(),
    "orphan_attempts": lambda facts: facts.rows[TrialRow].pop(),
    "orphan_scores": lambda facts: repeat_first(facts, ScoreRow, trial_id="nobody"),
    "repeated_trials": lambda facts: repeat_first(facts, TrialRow),
    "repeated_attempts": lambda facts: repeat_first(facts, AttemptRow, attempt_id="again"),
    "paid_twice": lambda facts: facts.attempt(facts.rows[TrialRow][0].trial_id, n=2),
    "negative_cost": lambda facts: replace_first(facts, AttemptRow, cost_pusd=-1),
    "over_budget": lambda facts: replace_first(facts, AttemptRow, cost_pusd=2 * 10**12),
    "scored_non_answers": lambda facts: facts.score(facts.rows[TrialRow][1].trial_id, 0.0),
    "unscored_answers": lambda facts: facts.rows[ScoreRow].pop(),
    "unfounded_verdicts": lambda facts: repeat_first(
        facts, ScoreRow, scorer="niah.judge", detail='{"judge_trial": "nobody"}', again=True
    ),
    "unmarked_scores": lambda facts: repeat_first(facts, ScoreRow),
    "values_out_of_range": lambda facts: replace_first(facts, ScoreRow, value=1.5),
    "different_prompts": lambda facts: replace_first(facts, TrialRow, prompt_hash="else"),
    "mixed_profiles": scored_again_in_part,
    "went_on_after_end": lambda facts: facts.attempt(
        facts.rows[TrialRow][1].trial_id, n=2, outcome="answered"
    ),
}


def test_every_check_has_its_fault():
    assert set(FAULTS) == {check.name for check in shipped("checks")}


def test_a_sound_file_fails_no_check():
    with sound().connect() as connection:
        assert checks(connection) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_check_finds_its_fault(name):
    facts = sound()
    FAULTS[name](facts)
    with facts.connect() as connection:
        failing = {failure.name: failure for failure in checks(connection)}
    assert name in failing
    assert failing[name].rows >= 1
    assert failing[name].about


def test_scores_under_several_profiles_are_said_and_a_whole_rescore_is_not():
    facts = Facts().sweep()
    cell = facts.cell("niah.magic_number", 1000, unit="tokens", depth=0)
    trials = [facts.trial(cell, 1.0) for _ in range(2)]
    facts.score(trials[0], 0.0, at=5, profile="official+judge:x")
    with facts.connect() as connection:
        failed = [failure.name for failure in checks(connection)]
        shown = connection.execute(shipped_sql("sweeps")).fetchall()
    assert failed == ["mixed_profiles"]
    assert shown[0][-1] == "default and official+judge:x"
    facts.score(trials[1], 0.0, at=5, profile="official")
    with facts.connect() as connection:
        assert checks(connection) == []


def shipped_sql(name: str) -> str:
    return next(query.sql for query in shipped("figures") if query.name == name)
