"""What a config means before anything is sent: its plan, and how its models' prompts are counted.

Apart from `runner.wiring`, so that a dry run loads neither the engine nor the stores.
"""

from collections.abc import Callable, Sequence
from typing import cast

from runner.config import SweepConfig
from runner.errors import UsageError
from runner.estimate import Estimator
from runner.models import ModelSpec
from runner.plan import Plan, PlannedTask, make_plan, plan_task
from tasks.catalog import build
from tasks.sample import TaskError
from tasks.tokens import ExactCounter, Vocabulary, counter_at_hand, exact_counter


def plan_sweep(config: SweepConfig, models: Sequence[ModelSpec]) -> Plan:
    """All points of all tasks under all models. Raises UsageError naming the key."""
    switches = config.switches
    planned: list[PlannedTask] = []
    for index, entry in enumerate(config.tasks):
        try:
            task = build(entry.name, entry.options(switches))
            planned.append(plan_task(task, entry.axes))
        except TaskError as error:
            raise UsageError(f"{config.where}: tasks[{index}]: {error}") from error
    return make_plan(models, planned, repeats=config.repeats, seed=config.seed)


def estimator_for(spec: ModelSpec) -> Estimator:
    """An estimator that knows nothing yet but the model's vocabulary, where that is published."""
    return _estimator(spec, exact_counter)


def sampling_estimator_for(spec: ModelSpec) -> Estimator:
    """The same for a sample of prompts, where no sweep needs the whole vocabulary yet."""
    return _estimator(spec, counter_at_hand)


def _estimator(spec: ModelSpec, counter_of: Callable[[Vocabulary], ExactCounter]) -> Estimator:
    name = cast("Vocabulary", spec.tokenizer)
    return Estimator(spec.name, counter_of(name) if name else None)
