import json

from runner.plan.rows import prompt_row, trial_row, unready_row
from tests.fakes.plans import plan_of, sweep_text

TRIAL = next(plan_of(sweep_text())[1].models[0].trials({}))
SAMPLE = TRIAL.cell.task.generate(TRIAL.cell.point.axes, TRIAL.seed)


def test_a_trials_row_says_what_its_prompt_is():
    row = trial_row(TRIAL, SAMPLE, "hash")
    assert (row.trial_id, row.cell_id) == (TRIAL.trial_id, TRIAL.cell.cell_id)
    assert row.prompt_chars == sum(len(turn.text) for turn in SAMPLE.prompt.messages)
    assert json.loads(row.target) == SAMPLE.target


def test_a_prompt_is_kept_turn_by_turn():
    kept = json.loads(prompt_row(TRIAL, SAMPLE).messages)
    assert [(turn["role"], turn["text"]) for turn in kept] == [
        (turn.role, turn.text) for turn in SAMPLE.prompt.messages
    ]


def test_a_trial_without_a_prompt_has_a_row_too():
    row = unready_row(TRIAL)
    assert (row.trial_id, row.prompt_hash, row.prompt_chars) == (TRIAL.trial_id, "", 0)
