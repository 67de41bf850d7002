"""The rows that a trial and its prompt are stored as."""

from collections.abc import Mapping

from runner.plan.cell import Trial
from state.records import PromptRow, TrialRow
from tasks.identity import canonical_json
from tasks.sample import Sample


def trial_row(trial: Trial, sample: Sample, prompt_hash: str) -> TrialRow:
    """The `trials` row of a trial with its prompt."""
    return TrialRow(
        trial_id=trial.trial_id,
        cell_id=trial.cell.cell_id,
        repeat=trial.repeat,
        seed=trial.seed,
        prompt_hash=prompt_hash,
        prompt_chars=sample.prompt.chars,
        kind=sample.kind,
        lengths=_json(sample.lengths),
        target=_json(sample.target),
    )


def prompt_row(trial: Trial, sample: Sample) -> PromptRow:
    """The `prompts` row, for those who want every prompt kept."""
    turns = [{"role": turn.role, "text": turn.text} for turn in sample.prompt.messages]
    return PromptRow(trial_id=trial.trial_id, messages=canonical_json(turns).decode())


def unready_row(trial: Trial) -> TrialRow:
    """The `trials` row of a trial whose prompt could not be made."""
    return TrialRow(
        trial_id=trial.trial_id,
        cell_id=trial.cell.cell_id,
        repeat=trial.repeat,
        seed=trial.seed,
        prompt_hash="",
        prompt_chars=0,
        kind="",
        lengths="{}",
        target="{}",
    )


def _json(value: Mapping[str, object]) -> str:
    return canonical_json(value if isinstance(value, dict) else dict(value)).decode()
