"""What the user wrote, as trials: lazy, deterministic, in a seeded interleaved order.

Cells (point x model x decoding) are listed, since their ids decide what is already done. Trials
(cell x repeat) are not: they are counted, and made when their turn comes.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Protocol, cast, runtime_checkable

from msgspec import Struct

from runner.models import ModelSpec
from runner.order import Permutation
from state.records import CellRow
from tasks.grid import skipped
from tasks.identity import canonical_json, derive_seed, stable_hash, trial_seed
from tasks.sample import Scalar, Task, TaskError, TaskPoint

UNCAPPED_OUTPUT = 4096
"""Assumed where neither the task nor the config caps the output (a price still needs a cap)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTask:
    """One `[[tasks]]` entry with its feasible points."""

    task: Task
    points: tuple[TaskPoint, ...]
    skipped: Mapping[str, int]
    """Reason to number of infeasible points; always printed, never silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Task point x model x decoding."""

    cell_id: str
    model: ModelSpec
    task: Task
    point: TaskPoint
    params: Mapping[str, Any]
    repeats: int
    """As often as the sweep says, or as often as imported data has a row for it."""
    output_cap: int
    """The most output tokens that a call may return."""

    def to_row(self) -> CellRow:
        """The `cells` row."""
        size = self.point.axes.get(self.task.size_axis)
        return CellRow(
            cell_id=self.cell_id,
            provider=self.model.provider,
            base_url=self.model.base_url,
            model=self.model.id,
            task=self.task.name,
            task_version=self.task.version,
            size=float(size) if isinstance(size, int | float) else None,
            size_unit=self.task.size_unit,
            point=canonical_json(dict(self.point.axes)).decode(),
            params=canonical_json(dict(self.params)).decode(),
            switches=canonical_json(dict(self.point.switches)).decode(),
            inputs=canonical_json(dict(self.point.inputs)).decode(),
            context_window=self.model.context_window,
            simulated=self.model.simulated,
        )


class Trial(Struct, frozen=True, kw_only=True, gc=False):
    """Cell x repeat: the unit of resume, and what is never paid twice."""

    trial_id: str
    cell: Cell
    repeat: int
    seed: int


def plan_task(task: Task, given: Mapping[str, Sequence[Scalar]]) -> PlannedTask:
    """The feasible points of a task, and a count of the others. Raises TaskError."""
    points = tuple(task.points(given))
    # Published rows are the whole grid: what the paper has beside them is not left out here.
    left_out = Counter[str]() if isinstance(task, Counted) else skipped(task, given)
    if left_out and not points:
        raise TaskError(f"{task.name}: no point of this grid has a prompt: {next(iter(left_out))}")
    reasons = {f"{task.name}: {reason}": n for reason, n in left_out.items()}
    return PlannedTask(task=task, points=points, skipped=reasons)


@runtime_checkable
class Counted(Protocol):
    """A task over published rows, which has only so many repeats of a point."""

    def repeats(self, axes: Mapping[str, Scalar]) -> int:
        """Rows at this point."""
        ...


@cache
def _is_counted(kind: type) -> bool:
    """Asked once a class: looking for a protocol's methods takes longer than making a cell."""
    return issubclass(kind, Counted)


def make_cell(model: ModelSpec, task: Task, point: TaskPoint, repeats: int) -> Cell:
    """The cell of a point under a model: the task's published decoding, then the model's params."""
    return _cell(model, task, point, point.point_id, repeats)


def _cell(model: ModelSpec, task: Task, point: TaskPoint, point_id: str, repeats: int) -> Cell:
    params = {**task.decoding(point.axes), **model.params}
    facts = [model.provider, model.base_url, model.name, params, point_id]
    # A simulator and a real server may stand at one address, one after the other.
    cell_id = stable_hash([*facts, "simulated"] if model.simulated else facts)
    if _is_counted(type(task)):
        repeats = min(repeats, cast("Counted", task).repeats(point.axes))
    return Cell(
        cell_id=cell_id,
        model=model,
        task=task,
        point=point,
        params=params,
        repeats=repeats,
        output_cap=int(params.get("max_tokens") or UNCAPPED_OUTPUT),
    )


def make_trial(cell: Cell, repeat: int, sweep_seed: int) -> Trial:
    """One repeat of a cell."""
    seed = trial_seed(sweep_seed, repeat)
    trial_id = stable_hash([cell.cell_id, repeat, seed])
    return Trial(trial_id=trial_id, cell=cell, repeat=repeat, seed=seed)


class ModelPlan:
    """The trials of one model, in order.

    Cells that share a haystack stand together within a repeat, so that the haystack is made once;
    the groups themselves are shuffled by the sweep's seed, the same way for every model.
    """

    def __init__(self, model: ModelSpec, cells: Sequence[Cell], *, repeats: int, seed: int) -> None:
        self.model = model
        self.cells = tuple(cells)
        self.repeats = repeats
        self.seed = seed

    @cached_property
    def _groups(self) -> tuple[tuple[int, ...], ...]:
        return _group(self.cells)

    @cached_property
    def _order(self) -> Permutation:
        return Permutation(len(self._groups) * self.repeats, derive_seed("order", self.seed))

    @property
    def n_trials(self) -> int:
        """Trials planned for this model."""
        return sum(cell.repeats for cell in self.cells)

    def trials(self, done: Mapping[str, frozenset[int]]) -> Iterator[Trial]:
        """The trials that are not done, in order; nothing is kept."""
        nothing: frozenset[int] = frozenset()
        for position in range(len(self._order)):
            group, repeat = divmod(self._order[position], self.repeats)
            for index in self._groups[group]:
                cell = self.cells[index]
                if repeat < cell.repeats and repeat not in done.get(cell.cell_id, nothing):
                    yield make_trial(cell, repeat, self.seed)

    def n_pending(self, done: Mapping[str, frozenset[int]]) -> int:
        """How many trials are not done."""
        finished = 0
        for cell in self.cells:
            repeats = done.get(cell.cell_id)
            if repeats:
                finished += sum(1 for repeat in repeats if repeat < cell.repeats)
        return self.n_trials - finished


def _group(cells: Sequence[Cell]) -> tuple[tuple[int, ...], ...]:
    groups: dict[tuple[str, tuple[Scalar, ...]], list[int]] = {}
    for index, cell in enumerate(cells):
        shared = tuple(cell.point.axes.get(axis) for axis in cell.task.shares)
        key = (cell.task.name, shared if cell.task.shares else (index,))
        groups.setdefault(key, []).append(index)
    return tuple(tuple(members) for members in groups.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything a sweep would do."""

    models: tuple[ModelPlan, ...]
    tasks: tuple[PlannedTask, ...]
    repeats: int
    seed: int

    @property
    def n_trials(self) -> int:
        """Trials planned over all models."""
        return sum(model.n_trials for model in self.models)

    @property
    def cells(self) -> Iterator[Cell]:
        """All cells of all models."""
        return itertools.chain.from_iterable(model.cells for model in self.models)

    @property
    def skipped(self) -> Counter[str]:
        """Infeasible points by reason, over all tasks."""
        total: Counter[str] = Counter()
        for planned in self.tasks:
            total.update(planned.skipped)
        return total


def make_plan(
    models: Iterable[ModelSpec], tasks: Sequence[PlannedTask], *, repeats: int, seed: int
) -> Plan:
    """Cross models with points. A point that stands in two entries is planned once."""
    points = [
        (planned.task, point, point.point_id) for planned in tasks for point in planned.points
    ]
    plans: list[ModelPlan] = []
    for model in models:
        made = (_cell(model, task, point, point_id, repeats) for task, point, point_id in points)
        cells = {cell.cell_id: cell for cell in made}
        plans.append(ModelPlan(model, list(cells.values()), repeats=repeats, seed=seed))
    return Plan(models=tuple(plans), tasks=tuple(tasks), repeats=repeats, seed=seed)


def restrict(plan: Plan, keep: frozenset[str]) -> Plan:
    """The plan with only the cells whose ids are in `keep`."""
    return Plan(
        models=tuple(
            ModelPlan(
                model.model,
                [cell for cell in model.cells if cell.cell_id in keep],
                repeats=plan.repeats,
                seed=plan.seed,
            )
            for model in plan.models
        ),
        tasks=plan.tasks,
        repeats=plan.repeats,
        seed=plan.seed,
    )


def remodelled(plan: Plan, change: Callable[[ModelSpec], ModelSpec]) -> Plan:
    """The plan with changed models; cells of those that stay as they are stay too."""
    return replace(plan, models=tuple(_remodelled(model, change) for model in plan.models))


def _remodelled(plan: ModelPlan, change: Callable[[ModelSpec], ModelSpec]) -> ModelPlan:
    changed = change(plan.model)
    if changed == plan.model:
        return plan
    cells = [make_cell(changed, cell.task, cell.point, cell.repeats) for cell in plan.cells]
    return ModelPlan(changed, cells, repeats=plan.repeats, seed=plan.seed)
