"""Rows for tests: everything has a value, and a test names only what it is about."""

from typing import Any

from msgspec.structs import replace

from state.records import (
    AttemptRow,
    CellRow,
    CompletionRow,
    ModelRow,
    PendingRow,
    ScoreRow,
    StartRow,
    SweepCellRow,
    SweepRow,
    TrialRow,
)

START_US = 1_790_000_000_000_000


def sweep(sweep_id: str = "sweep-1", **changes: Any) -> SweepRow:
    row = SweepRow(
        sweep_id=sweep_id,
        name="first",
        started_at=START_US,
        seed=0,
        repeats=1,
        budget_pusd=None,
        profile="default",
        switches="{}",
        config="{}",
        simulated=False,
        trials_planned=1,
        runner_version="0",
    )
    return replace(row, **changes)


def cell(cell_id: str = "cell-1", **changes: Any) -> CellRow:
    row = CellRow(
        cell_id=cell_id,
        provider="openai",
        base_url="http://127.0.0.1:1/v1",
        model="openai/gpt-test",
        task="needle_threading.single_needle",
        task_version=1,
        size=2000.0,
        size_unit="chars",
        point='{"size":2000,"depth":50}',
        params='{"temperature":0}',
        switches="{}",
        inputs="{}",
        context_window=128_000,
        simulated=False,
        family="needle_threading",
        answer="values",
        curve_axis="depth",
        chance=0.04,
        overall="needle_threading",
        overall_tasks=5,
        values_asked=1,
        reply_tokens=33.0,
    )
    return replace(row, **changes)


def sweep_cell(**changes: Any) -> SweepCellRow:
    row = SweepCellRow(sweep_id="sweep-1", cell_id="cell-1", repeats=1)
    return replace(row, **changes)


def trial(trial_id: str = "trial-1", **changes: Any) -> TrialRow:
    row = TrialRow(
        trial_id=trial_id,
        cell_id="cell-1",
        repeat=0,
        seed=0,
        prompt_hash="0" * 32,
        prompt_chars=2000,
        kind="uuid",
        lengths='{"haystack_chars":2000}',
        target='{"expected":["x"]}',
    )
    return replace(row, **changes)


def start(attempt_id: str = "trial-1/1", **changes: Any) -> StartRow:
    row = StartRow(
        attempt_id=attempt_id,
        trial_id="trial-1",
        sweep_id="sweep-1",
        n=1,
        started_at=START_US,
        reserved_pusd=1_000,
        input_tokens_estimate=700,
    )
    return replace(row, **changes)


def attempt(attempt_id: str = "trial-1/1", **changes: Any) -> AttemptRow:
    row = AttemptRow(
        attempt_id=attempt_id,
        trial_id="trial-1",
        n=1,
        started_at=START_US,
        finished_at=START_US + 1_000_000,
        outcome="answered",
        http_status=200,
        error=None,
        request_id="req-1",
        input_tokens=700,
        cache_read_tokens=0,
        cache_write_tokens=0,
        output_tokens=20,
        reasoning_tokens=None,
        cost_pusd=600,
        maybe_billed=False,
        final=True,
        queue_s=0.1,
        first_byte_s=0.5,
        latency_s=1.0,
    )
    return replace(row, **changes)


def completion(**changes: Any) -> CompletionRow:
    row = CompletionRow(
        trial_id="trial-1",
        attempt_id="trial-1/1",
        text="x",
        reasoning_text=None,
        finish_reason="stop",
        model_reported="gpt-test-1",
    )
    return replace(row, **changes)


def score(**changes: Any) -> ScoreRow:
    row = ScoreRow(
        trial_id="trial-1",
        scorer="needle_threading",
        scorer_version=1,
        profile="default",
        value=1.0,
        label="correct",
        detail="{}",
        switches="{}",
        scored_at=START_US + 1_000_000,
    )
    return replace(row, **changes)


def pending(**changes: Any) -> PendingRow:
    row = PendingRow(
        sweep_id="sweep-1",
        model="openai/gpt-test",
        outcome="pending:budget",
        trials=3,
        at=START_US,
    )
    return replace(row, **changes)


def model(**changes: Any) -> ModelRow:
    row = ModelRow(
        sweep_id="sweep-1",
        model="openai/gpt-test",
        context_window=128_000,
        price='{"input":1250000,"output":10000000}',
        price_source="config",
        tokenizer="o200k_base",
    )
    return replace(row, **changes)
