"""Puts a forecast together: the plan, what a file holds, what was learned, a sample of prompts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from runner.config import SweepConfig
from runner.config_models import LimitsConfig
from runner.forecast.disk import disk_bytes
from runner.forecast.forecast import Forecast, ModelForecast, Sampling, reach
from runner.forecast.history import History
from runner.forecast.measure import measure
from runner.forecast.per_model import Known, forecast_model, guessed_tokens
from runner.forecast.walltime import HOSTED, ON_THIS_MACHINE, Load, wall_time
from runner.models import ModelSpec
from runner.plan import Plan
from runner.planning import estimator_for
from runner.pricing import PUSD_PER_USD

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
    models = _share_limits(plan, [part for part, _ in parts], config.concurrency)
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


def _share_limits(
    plan: Plan, models: Sequence[ModelForecast], concurrency: int | None
) -> list[ModelForecast]:
    """Models that share one set of limits take as long as all of them together."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, planned in enumerate(plan.models):
        group = planned.model.limits.group
        if group is not None:
            groups.setdefault((planned.model.account, group), []).append(index)
    shared = list(models)
    for members in groups.values():
        totals = [models[index].total for index in members]
        load = Load(
            trials=sum(total.to_send for total in totals),
            input_tokens=sum(total.input_tokens.expected for total in totals),
            output_tokens=sum(total.output_tokens.expected for total in totals),
        )
        limits = _smallest([plan.models[index].model.limits for index in members])
        wall = wall_time(load, limits, concurrency, models[members[0]].wall.pace)
        for index in members:
            shared[index] = replace(models[index], wall=wall)
    return shared


def _smallest(limits: Sequence[LimitsConfig]) -> LimitsConfig:
    """Of what the members say of one limit, the smallest holds."""
    said: dict[str, int] = {}
    for each in limits:
        for name, value in each.model_dump(exclude_none=True, exclude={"group"}).items():
            said[name] = min(value, said.get(name, value))
    return LimitsConfig.model_validate(said)
