"""The one answer to whether a prompt fits a model's context window.

A prompt is sent if it is expected to fit. How many tokens it takes is known ever better: from the
size of its cell, from prompts that were sampled, at last from the prompt itself.
"""

from typing import NamedTuple, Protocol

from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.plan.cell import Cell
from runner.plan.plan import Plan, PlannedTask
from tasks.facts import UnitTokens
from tasks.sample import Task, TaskPoint
from tasks.tokens import Ratio, estimating_counter


class InputTokens(Protocol):
    """What is known of a prompt's tokens."""

    @property
    def low(self) -> float:
        """It has no fewer."""
        ...

    @property
    def expected(self) -> float:
        """What to expect."""
        ...


class SizeTokens(NamedTuple):
    """Tokens of a context, as far as its size tells; the words around it come on top."""

    low: float
    expected: float


def fits(model: ModelSpec, tokens: InputTokens) -> bool:
    """Whether a prompt is sent; one that is not is recorded as over_context."""
    return model.context_window is None or tokens.expected <= model.context_window


def may_fit(model: ModelSpec, tokens: InputTokens) -> bool:
    """Whether any prompt of the kind could be sent, however few tokens it turns out to have."""
    return model.context_window is None or tokens.low <= model.context_window


def cell_tokens(cell: Cell) -> SizeTokens:
    """Tokens of the cell's context, before any prompt of it was made."""
    return size_tokens(cell.model, cell.task, cell.point)


def size_tokens(model: ModelSpec, task: Task, point: TaskPoint) -> SizeTokens:
    """The same for a point; nothing where the task's size is no number."""
    size = point.axes.get(task.size_axis)
    if not isinstance(size, int | float):
        return SizeTokens(0.0, 0.0)
    unit = _unit_tokens(model, task)
    return SizeTokens(size * unit.low, size * unit.expected)


def _unit_tokens(model: ModelSpec, task: Task) -> UnitTokens | Ratio:
    """Of one unit of the task's size; a character of our texts is a byte."""
    return task.facts.unit_tokens or estimating_counter(model.name, task.facts.text).ratio


def refuse_hopeless(config: SweepConfig, plan: Plan) -> None:
    """Raise UsageError for a task of which no size fits the window of any model.

    Single cells that do not fit are no error: they are recorded as over_context and never sent.
    """
    models = [model.model for model in plan.models]
    for index, planned in enumerate(plan.tasks):
        if planned.points and not _any_may_fit(planned, models):
            windows = ", ".join(f"{model.id} {model.context_window:,}" for model in models)
            axis, unit = planned.task.size_axis, planned.task.size_unit
            raise UsageError(
                f"{config.where}: tasks[{index}].{axis}: no size fits any model's context window "
                f"({windows} tokens; sizes are in {unit})"
            )


def _any_may_fit(planned: PlannedTask, models: list[ModelSpec]) -> bool:
    return any(
        may_fit(model, size_tokens(model, planned.task, point))
        for point in planned.points
        for model in models
    )
