"""Turns what happened to a trial into the rows that say so."""

from collections.abc import Mapping

from runner.plan.cell import Trial
from runner.wire import Result
from state.records import AttemptRow, CompletionRow, Outcome, PromptRow, TrialRow
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


def unsent_row(trial: Trial, at: int, outcome: str, error: str) -> AttemptRow:
    """A trial that ends without ever being sent: attempt number 0, and certainly no cost."""
    return AttemptRow(
        attempt_id=f"{trial.trial_id}.0",
        trial_id=trial.trial_id,
        n=0,
        started_at=at,
        finished_at=at,
        outcome=outcome,
        http_status=None,
        error=error,
        request_id=None,
        input_tokens=None,
        cache_read_tokens=None,
        cache_write_tokens=None,
        output_tokens=None,
        reasoning_tokens=None,
        cost_pusd=0,
        maybe_billed=False,
        final=True,
        queue_s=None,
        first_byte_s=None,
        latency_s=None,
    )


def completion_row(trial_id: str, attempt_id: str, result: Result) -> CompletionRow | None:
    """The `completions` row; None where the provider gave nothing that could be a reply."""
    if result.finish_reason is None and not result.text:
        return None
    if result.outcome is Outcome.CANCELLED:
        return None
    return CompletionRow(
        trial_id=trial_id,
        attempt_id=attempt_id,
        text=result.text,
        reasoning_text=result.reasoning_text,
        finish_reason=result.finish_reason,
        model_reported=result.model_reported,
    )


def _json(value: Mapping[str, object]) -> str:
    return canonical_json(value if isinstance(value, dict) else dict(value)).decode()
