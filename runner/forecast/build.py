"""Puts a forecast together: the plan, what a file holds, what was learned, a sample of prompts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from runner.config.models import smallest_limits
from runner.config.sweep import SweepConfig
from runner.forecast.disk import disk_bytes
from runner.forecast.forecast import Forecast, History, ModelForecast, Sampling, reach, total
from runner.forecast.measure import Measured, measure
from runner.forecast.per_model import Known, forecast_model, guessed_tokens
from runner.forecast.walltime import HOSTED, ON_THIS_MACHINE, Load, Pace, wall_time
from runner.models.counting import sampling_estimator_for
from runner.models.spec import ModelSpec
from runner.money.price import PUSD_PER_USD
from runner.plan.plan import Plan
from runner.terminal.words import outside_budget
from runner.vendors import OwnServer

KnownOf = Callable[[ModelSpec], Known]


def guessed(spec: ModelSpec) -> Known:
    """What is known of a model that was never asked."""
    named = f"{spec.tokenizer} vocabulary" if spec.tokenizer else "estimated from bytes"
    estimator = sampling_estimator_for(spec)
    return Known(
        estimator_of=lambda _: estimator,
        reply_tokens=guessed_tokens,
        pace=_pace(spec),
        tokens_source=named,
    )


def _pace(spec: ModelSpec) -> Pace:
    return ON_THIS_MACHINE if spec.vendor.own_server is OwnServer.LOCAL_MODEL else HOSTED


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
    made = forecast_from(measured, config, plan, history, known_of)
    prompts = measured.chars * made.total.left if save_prompts else 0.0
    file = str(db) if history.exists and db is not None else None
    return replace(made, disk_bytes=made.disk_bytes + prompts, file=file)


def forecast_from(
    measured: Measured, config: SweepConfig, plan: Plan, history: History, known_of: KnownOf
) -> Forecast:
    """The same from prompts that were sampled before, of a file that holds no prompts."""
    parts = [
        forecast_model(model, history.done, measured, known_of(model.model), config.concurrency)
        for model in plan.models
    ]
    models = _share_limits(plan, [part for part, _ in parts], config.concurrency)
    whole = total("all models", [model.total for model in models])
    tokens = whole.input_tokens.expected
    error = math.sqrt(sum(variance for _, variance in parts))
    budget = config.budget_pusd
    return Forecast(
        name=config.name,
        models=models,
        skipped=dict(plan.skipped),
        remarks=plan.remarks
        if budget is None
        else (*plan.remarks, *outside_budget(history.unpriced)),
        sampling=Sampling(
            prompts=measured.n_prompts,
            error=error / tokens if tokens else 0.0,
        ),
        disk_bytes=disk_bytes(whole.left, whole.output_tokens.expected),
        reach=None
        if budget is None
        else reach(budget / PUSD_PER_USD, history.committed_pusd / PUSD_PER_USD, models),
        file=None,
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
    for (_, name), members in groups.items():
        totals = [models[index].total for index in members]
        load = Load(
            trials=sum(total.to_send for total in totals),
            input_tokens=sum(total.input_tokens.expected for total in totals),
            output_tokens=sum(total.output_tokens.expected for total in totals),
        )
        limits = smallest_limits((plan.models[index].model.limits for index in members), name)
        wall = wall_time(load, limits, concurrency, models[members[0]].wall.pace)
        for index in members:
            shared[index] = replace(models[index], wall=wall)
    return shared
