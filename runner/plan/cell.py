"""Cells and trials: what is asked of which model how, and each repeat of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from msgspec import Struct

from runner.models.spec import ModelSpec
from runner.models.thinking import published_cap
from state.records import CellRow
from tasks.grid import curve_axis
from tasks.identity import canonical_json, stable_hash, trial_seed
from tasks.sample import Scalar, Task, TaskPoint

UNCAPPED_OUTPUT = 4096
"""Assumed where neither the task nor the config caps the output (a price still needs a cap)."""


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
            **self._facts(),
        )

    def _facts(self) -> dict[str, Any]:
        """What the task says of itself, as the columns that views select by."""
        task, axes, facts = self.task, self.point.axes, self.task.facts
        return {
            "family": task.name.partition(".")[0],
            "answer": facts.answer,
            "curve_axis": curve_axis(task.axes),
            "chance": task.chance(axes),
            "overall": facts.overall,
            "overall_tasks": facts.overall_tasks,
            "official_repeats": facts.official_repeats,
            "values_asked": task.values_asked(axes),
            "reply_tokens": task.reply_tokens(axes),
        }


class Trial(Struct, frozen=True, kw_only=True, gc=False):
    """Cell x repeat: the unit of resume, and what is never paid twice."""

    trial_id: str
    cell: Cell
    repeat: int
    seed: int


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


class PlannedPoint(NamedTuple):
    """A point that is asked so often of a model; its id is made once for all models."""

    task: Task
    point: TaskPoint
    point_id: str
    repeats: int


def plan_point(task: Task, point: TaskPoint, point_id: str, repeats: int) -> PlannedPoint:
    """A point asked so often, or as often as there are published rows of it."""
    if _is_counted(type(task)):
        repeats = min(repeats, cast("Counted", task).repeats(point.axes))
    return PlannedPoint(task, point, point_id, repeats)


def make_cell(model: ModelSpec, planned: PlannedPoint) -> Cell:
    """The cell of a point under a model: the task's published decoding, then the model's params."""
    task, point, point_id, repeats = planned
    params = {**_published(task, point, model), **model.params}
    facts = [model.provider, model.base_url, model.name, params, point_id]
    # A simulator and a real server may stand at one address, one after the other.
    cell_id = stable_hash([*facts, "simulated"] if model.simulated else facts)
    return Cell(
        cell_id=cell_id,
        model=model,
        task=task,
        point=point,
        params=params,
        repeats=repeats,
        output_cap=int(params.get("max_tokens") or UNCAPPED_OUTPUT),
    )


def _published(task: Task, point: TaskPoint, model: ModelSpec) -> Mapping[str, Any]:
    """The decoding that the paper names; a model that thinks needs room for that in its cap."""
    decoding = task.decoding(point.axes)
    cap = decoding.get("max_tokens")
    if cap is None or model.max_output is not None:
        return decoding
    return {**decoding, "max_tokens": published_cap(model, cap)}


def make_trial(cell: Cell, repeat: int, sweep_seed: int) -> Trial:
    """One repeat of a cell."""
    seed = trial_seed(sweep_seed, repeat)
    trial_id = stable_hash([cell.cell_id, repeat, seed])
    return Trial(trial_id=trial_id, cell=cell, repeat=repeat, seed=seed)


def size_of(cell: Cell) -> float:
    """The cell's size on its task's own axis; 0 where that is no number."""
    size = cell.point.axes.get(cell.task.size_axis)
    return float(size) if isinstance(size, int | float) else 0.0
