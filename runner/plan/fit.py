"""Whether a prompt fits a model's context window, as far as its size tells."""

from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.plan.cell import Cell, size_of
from runner.plan.plan import Plan, PlannedTask
from tasks.sample import TaskPoint
from tasks.tokens import estimating_counter


def may_fit(cell: Cell) -> bool:
    """Whether the prompt may be sent at all, as far as its size tells."""
    window = cell.model.context_window
    return window is None or cell.task.size_unit == "needles" or size_of(cell) <= window


def least_tokens(cell: Cell) -> float:
    """Tokens that the cell's context has at least, under any vocabulary measured so far."""
    size = cell.point.axes.get(cell.task.size_axis)
    if isinstance(size, str) or size is None:
        return 0.0
    if cell.task.size_unit != "chars":
        return size * 0.8 if cell.task.size_unit == "tokens" else float(size)
    kind = "prose" if ".natural_" in cell.task.name else "uuid"
    return size * estimating_counter(cell.model.name, kind).ratio.low


LEAST_TOKENS_PER_CHAR = 0.2
"""Fewer than any vocabulary needs for the texts we send: English prose takes about 0.22."""


def refuse_hopeless(config: SweepConfig, plan: Plan) -> None:
    """Raise UsageError for a task of which no size fits the window of any model.

    Single cells that do not fit are no error: they are recorded as over_context and never sent.
    """
    models = [model.model for model in plan.models]
    for index, planned in enumerate(plan.tasks):
        if planned.points and not any(
            _fits(planned, point, model) for point in planned.points for model in models
        ):
            windows = ", ".join(f"{model.id} {model.context_window:,}" for model in models)
            axis, unit = planned.task.size_axis, planned.task.size_unit
            raise UsageError(
                f"{config.where}: tasks[{index}].{axis}: no size fits any model's context window "
                f"({windows} tokens; sizes are in {unit})"
            )


def _fits(planned: PlannedTask, point: TaskPoint, model: ModelSpec) -> bool:
    size = point.axes.get(planned.task.size_axis)
    if model.context_window is None or not isinstance(size, int | float):
        return True
    per_unit = {"chars": LEAST_TOKENS_PER_CHAR, "tokens": 0.8}.get(planned.task.size_unit, 1.0)
    return size * per_unit <= model.context_window
