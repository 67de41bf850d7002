"""Chooses the calls that teach most for least money, to be sent before a sweep.

They are ordinary trials of the plan, so that nothing is paid twice: the shortest pending ones of
each task in turn, and of a second, longer size too, since a line needs two points.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from runner.forecast.replies import reply_class
from runner.plan.cell import Cell, Trial, make_trial, size_of
from runner.plan.fit import cell_tokens, fits
from runner.plan.order import Permutation
from runner.plan.plan import NOTHING_DONE, Done, ModelPlan, Plan
from runner.plan.subset import ChosenTrials
from tasks.identity import derive_seed

LONGER, TOO_LONG = 3.0, 16.0
"""The second size is so many times the first; beyond the other it is dear, and sent once."""


def chosen_plan(plan: Plan, done: Done, calls: int) -> Plan:
    """The plan of the calls to send first, up to so many a model."""
    models = [ChosenTrials(model, choose(model, done, calls)) for model in plan.models]
    return replace(plan, models=tuple(models))


def choose(model: ModelPlan, done: Done, calls: int) -> list[Trial]:
    """The calls of one model: its reply classes take turns."""
    queues = [_cheap(cells, done, model.seed) for cells in _classes(model).values()]
    chosen: list[Trial] = []
    while queues and len(chosen) < calls:
        for queue in list(queues):
            trial = next(queue, None)
            if trial is None:
                queues.remove(queue)
            elif len(chosen) < calls:
                chosen.append(trial)
    return chosen


def _classes(model: ModelPlan) -> dict[str, list[Cell]]:
    """Cells by what decides the length of a reply."""
    classes: dict[str, list[Cell]] = {}
    for cell in model.cells:
        if fits(model.model, cell_tokens(cell)):
            classes.setdefault(reply_class(cell.task.name, cell.point.axes), []).append(cell)
    return classes


def _cheap(cells: list[Cell], done: Done, seed: int) -> Iterator[Trial]:
    """Pending trials, by turns of the shortest size and of a longer one, then the rest."""
    by_size: dict[float, list[Cell]] = {}
    for cell in sorted(cells, key=size_of):
        if any(_repeats_left(cell, done)):
            by_size.setdefault(size_of(cell), []).append(cell)
    sizes = list(by_size)
    if not sizes:
        return
    second = next((size for size in sizes if size >= LONGER * sizes[0]), sizes[-1])
    long = _shuffled(by_size[second], done, seed) if second != sizes[0] else iter(())
    if second > TOO_LONG * sizes[0]:
        long = islice(long, 1)
    yield from _in_turn(_shuffled(by_size[sizes[0]], done, seed), long)
    for size in sizes[1:]:
        if size != second:
            yield from _shuffled(by_size[size], done, seed)


def _in_turn(first: Iterator[Trial], second: Iterator[Trial]) -> Iterator[Trial]:
    for trial in first:
        yield trial
        other = next(second, None)
        if other is not None:
            yield other
    yield from second


def _repeats_left(cell: Cell, done: Done) -> Iterator[bool]:
    finished = done.get(cell.cell_id, NOTHING_DONE)
    return (repeat not in finished for repeat in range(cell.repeats))


def _shuffled(cells: list[Cell], done: Done, seed: int) -> Iterator[Trial]:
    """In a seeded order, so that the other axes are spread as they are in the plan."""
    left = [
        (cell, repeat)
        for cell in cells
        for repeat, pending in enumerate(_repeats_left(cell, done))
        if pending
    ]
    order = Permutation(len(left), derive_seed("calibrate", seed))
    for index in range(len(left)):
        cell, repeat = left[order[index]]
        yield make_trial(cell, repeat, seed)
