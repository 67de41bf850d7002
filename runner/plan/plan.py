"""What the user wrote, as trials: lazy, deterministic, in a seeded interleaved order.

Cells (point x model x decoding) are listed, since their ids decide what is already done: when they
are first asked for, by when it is known which models are simulated. Trials (cell x repeat) are not
listed: they are counted, and made when their turn comes.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from runner.models.spec import ModelSpec
from runner.plan.cell import (
    Cell,
    Counted,
    PlannedPoint,
    Trial,
    make_cell,
    make_trial,
    plan_point,
)
from runner.plan.order import Permutation
from tasks.grid import skipped
from tasks.identity import derive_seed
from tasks.sample import Scalar, Task, TaskError, TaskPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTask:
    """One `[[tasks]]` entry with its feasible points."""

    task: Task
    points: tuple[TaskPoint, ...]
    skipped: Mapping[str, int]
    """Reason to number of infeasible points; always printed, never silent."""
    repeats: int | None = None
    """What the entry says; None where it leaves it to the sweep."""
    most_repeats: int | None = None
    """More are not counted, so they are not sent."""

    def repeats_of(self, model: ModelSpec, repeats: int) -> int:
        """How often each point is asked: as the entry says or the sweep, at most as the model."""
        wanted = self.repeats or repeats
        return min(filter(None, (wanted, model.repeats, self.most_repeats)))


def plan_task(
    task: Task,
    given: Mapping[str, Sequence[Scalar]],
    *,
    repeats: int | None = None,
    most_repeats: int | None = None,
) -> PlannedTask:
    """The feasible points of a task, and a count of the others. Raises TaskError."""
    points = tuple(task.points(given))
    # Published rows are the whole grid: what the paper has beside them is not left out here.
    left_out = Counter[str]() if isinstance(task, Counted) else skipped(task, given)
    if left_out and not points:
        raise TaskError(f"{task.name}: no point of this grid has a prompt: {next(iter(left_out))}")
    reasons = {f"{task.name}: {reason}": n for reason, n in left_out.items()}
    return PlannedTask(
        task=task, points=points, skipped=reasons, repeats=repeats, most_repeats=most_repeats
    )


class Repeats(Protocol):
    """A set of repeats: of a few that are chosen, or of millions that a file holds."""

    def __contains__(self, repeat: int, /) -> bool: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...


Done = Mapping[str, Repeats]
"""cell_id to the repeats that are done."""
NOTHING_DONE: frozenset[int] = frozenset()


class ModelPlan:
    """The trials of one model, in order.

    Cells that share a haystack stand together within a repeat, so that the haystack is made once;
    the groups themselves are shuffled by the sweep's seed, the same way for every model.
    """

    def __init__(
        self, model: ModelSpec, points: Sequence[PlannedPoint], *, repeats: int, seed: int
    ) -> None:
        self.model = model
        self.points = points
        self.repeats = repeats
        self.seed = seed

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The model's cells, one for each point; making them takes most of what a plan takes."""
        return tuple(make_cell(self.model, point) for point in self.points)

    @cached_property
    def _groups(self) -> tuple[tuple[int, ...], ...]:
        return _group(self.cells)

    @cached_property
    def _order(self) -> Permutation:
        return Permutation(len(self._groups) * self.repeats, derive_seed("order", self.seed))

    @property
    def n_trials(self) -> int:
        """Trials planned for this model."""
        return sum(point.repeats for point in self.points)

    def trials(self, done: Done) -> Iterator[Trial]:
        """The trials that are not done, in order; nothing is kept."""
        for position in range(len(self._order)):
            group, repeat = divmod(self._order[position], self.repeats)
            for index in self._groups[group]:
                cell = self.cells[index]
                if repeat < cell.repeats and repeat not in done.get(cell.cell_id, NOTHING_DONE):
                    yield make_trial(cell, repeat, self.seed)

    def n_pending(self, done: Done) -> int:
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
    """The most of any cell."""
    seed: int
    remarks: tuple[str, ...] = ()
    """What its numbers cannot show, a line each."""

    @property
    def n_trials(self) -> int:
        """Trials planned over all models."""
        return sum(model.n_trials for model in self.models)

    @property
    def cells(self) -> Iterator[Cell]:
        """All cells of all models."""
        return itertools.chain.from_iterable(model.cells for model in self.models)

    def standing_errors(self, errors: Mapping[str, Mapping[int, str]]) -> Counter[str]:
        """How many of its trials stand in an error, by outcome."""
        return Counter(
            outcome
            for cell in self.cells
            for repeat, outcome in errors.get(cell.cell_id, {}).items()
            if repeat < cell.repeats
        )

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
    models = list(models)
    points = [(planned, point, point.point_id) for planned in tasks for point in planned.points]
    most = max(
        (planned.repeats_of(model, repeats) for planned in tasks for model in models),
        default=repeats,
    )
    plans: list[ModelPlan] = []
    for model in models:
        listed: dict[str, PlannedPoint] = {}
        for planned, point, point_id in points:
            often = planned.repeats_of(model, repeats)
            asked = plan_point(planned.task, point, point_id, often)
            known = listed.get(point_id)
            if known is None or known.repeats < asked.repeats:
                listed[point_id] = asked
        plans.append(ModelPlan(model, tuple(listed.values()), repeats=most, seed=seed))
    return Plan(models=tuple(plans), tasks=tuple(tasks), repeats=most, seed=seed)


def restrict(plan: Plan, keep: frozenset[str]) -> Plan:
    """The plan with only the cells whose ids are in `keep`."""
    return replace(plan, models=tuple(_restricted(model, keep) for model in plan.models))


def _restricted(plan: ModelPlan, keep: frozenset[str]) -> ModelPlan:
    pairs = zip(plan.points, plan.cells, strict=True)
    points = [point for point, cell in pairs if cell.cell_id in keep]
    return ModelPlan(plan.model, points, repeats=plan.repeats, seed=plan.seed)


def remodelled(plan: Plan, change: Callable[[ModelSpec], ModelSpec]) -> Plan:
    """The plan with changed models; those that stay as they are keep their cells."""
    return replace(plan, models=tuple(_remodelled(model, change) for model in plan.models))


def _remodelled(plan: ModelPlan, change: Callable[[ModelSpec], ModelSpec]) -> ModelPlan:
    changed = change(plan.model)
    if changed == plan.model:
        return plan
    return ModelPlan(changed, plan.points, repeats=plan.repeats, seed=plan.seed)
