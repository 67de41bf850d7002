"""Puts a forecast together: the plan, what a file holds, what was learned, a sample of prompts."""

import math
from collections.abc import Callable
from pathlib import Path

from runner.config import SweepConfig
from runner.forecast.forecast import Forecast, Sampling, disk_bytes, reach
from runner.forecast.history import History
from runner.forecast.measure import measure
from runner.forecast.per_model import Known, forecast_model, guessed_tokens
from runner.forecast.walltime import HOSTED, ON_THIS_MACHINE
from runner.models import ModelSpec
from runner.plan import Plan
from runner.pricing import PUSD_PER_USD
from runner.wiring import estimator_for

KnownOf = Callable[[ModelSpec], Known]


def guessed(spec: ModelSpec) -> Known:
    """What is known of a model that was never asked."""
    named = f"{spec.tokenizer} vocabulary" if spec.tokenizer else "estimated from bytes"
    estimator = estimator_for(spec)
    return Known(
        estimator_of=lambda _: estimator,
        reply_tokens=guessed_tokens,
        pace=ON_THIS_MACHINE if spec.provider == "local" else HOSTED,
        tokens_source=named,
    )


def make_forecast(
    config: SweepConfig,
    plan: Plan,
    history: History,
    known_of: KnownOf = guessed,
    *,
    save_prompts: bool = False,
    db: Path | None = None,
) -> Forecast:
    """The forecast of what is left of a plan."""
    measured = measure(plan)
    parts = [
        forecast_model(model, history.done, measured, known_of(model.model), config.concurrency)
        for model in plan.models
    ]
    models = [part for part, _ in parts]
    tokens = sum(model.total.input_tokens.expected for model in models)
    error = math.sqrt(sum(variance for _, variance in parts))
    trials = sum(model.total.to_send + model.total.over_window for model in models)
    budget = config.budget_pusd
    return Forecast(
        name=config.name,
        models=models,
        skipped=dict(plan.skipped),
        sampling=Sampling(
            prompts=measured.n_prompts,
            error=error / tokens if tokens else 0.0,
        ),
        disk_bytes=disk_bytes(
            trials,
            sum(model.total.output_tokens.expected for model in models),
            measured.chars if save_prompts else 0.0,
        ),
        reach=None
        if budget is None
        else reach(budget / PUSD_PER_USD, history.committed_pusd / PUSD_PER_USD, models),
        file=str(db) if history.exists and db is not None else None,
    )
