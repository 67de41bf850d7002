"""What a config means before anything is sent: its plan, and how its models' prompts are counted.

Apart from `runner.session.wiring`, so that a dry run loads neither the engine nor the stores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.models.thinking import refuse_starved
from runner.plan.plan import Plan, PlannedTask, make_plan, plan_task
from runner.plan.remarks import remarks
from tasks.catalog import build
from tasks.sample import Scalar, Task, TaskError


def plan_sweep(config: SweepConfig, models: Sequence[ModelSpec]) -> Plan:
    """All points of all tasks under all models. Raises UsageError naming the key."""
    refuse_starved(models, config.where)
    switches = config.switches
    planned: list[PlannedTask] = []
    for index, entry in enumerate(config.tasks):
        try:
            task = build(entry.name, entry.options(switches))
            counted = _counted(task, switches)
            planned.append(plan_task(task, entry.axes, repeats=entry.repeats, most_repeats=counted))
        except TaskError as error:
            raise UsageError(f"{config.where}: tasks[{index}]: {error}") from error
    plan = make_plan(models, planned, repeats=config.repeats, seed=config.seed)
    return replace(plan, remarks=tuple(remarks(plan, config.repeats)))


def _counted(task: Task, switches: Mapping[str, Scalar]) -> int | None:
    """How many repeats of a point are counted under these switches; None where all are."""
    official = switches["needlechain.rows"] == "first100"
    return task.facts.official_repeats if official else None
