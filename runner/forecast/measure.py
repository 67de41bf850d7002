"""Measures a plan by a sample of its prompts: a few for each task and size, at most megabytes.

The seed leaves the model out, so one prompt serves all models; each counts it in its own way. Sizes
too long to sample are extrapolated along the two longest that were.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from runner.forecast.amounts import Amount
from runner.plan.cell import Cell, size_of
from runner.plan.order import Permutation
from runner.plan.plan import Plan
from runner.tokens.estimate import Estimator
from tasks.facts import TextKind
from tasks.identity import derive_seed, trial_seed
from tasks.sample import Sample, Task, TaskError

CHARS_IN_ALL = 1_000_000
"""Generating and counting so much takes about a third of a second."""
MOST_PER_SIZE = 6
ENOUGH_CHARS = 20_000
"""Of one size; long prompts vary less."""
SPREAD_UNKNOWN = 0.02
"""Relative spread assumed where a task gave one prompt only."""

Key = tuple[int, float]
"""A task of the plan, and a size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Input tokens of one trial on average, and the standard error of `expected`."""

    tokens: Amount
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Sampled prompts by task and size."""

    samples: Mapping[Key, Sequence[Sample]]
    failed: Mapping[Key, str]
    """Why the prompts of a size cannot be made."""

    @property
    def n_prompts(self) -> int:
        """Prompts that were made."""
        return sum(map(len, self.samples.values()))

    @property
    def chars(self) -> int:
        """Characters of an average prompt that was made."""
        made = [sample.prompt.chars for drawn in self.samples.values() for sample in drawn]
        return sum(made) // max(1, len(made))

    def kind_of(self, task: Task) -> TextKind | None:
        """The kind of a task's text, where a prompt of it could be made."""
        mine = (drawn for (owner, _), drawn in self.samples.items() if owner == id(task))
        return next((sample.kind for drawn in mine for sample in drawn), None)

    def inputs(
        self, estimator_of: Callable[[str], Estimator], names: Mapping[Key, str]
    ) -> dict[Key, Input]:
        """What trials at these keys take of one model, sampled or extrapolated."""
        estimators = {name: estimator_of(name) for name in set(names.values())}
        counted = {
            key: [_counted(estimators[names[key]], sample) for sample in drawn]
            for key, drawn in self.samples.items()
            if key in names
        }
        known = {key: _mean(amounts, _usual(key, counted)) for key, amounts in counted.items()}
        return {key: known.get(key) or _beyond(key, known) for key in names}


def key_of(cell: Cell) -> Key:
    """The task and size of a cell; tasks of one name but other options are apart."""
    return id(cell.task), size_of(cell)


def measure(plan: Plan) -> Measured:
    """Draw prompts, the same ones each time, shortest sizes first."""
    strata = _strata(plan)
    tasks = {key[0] for key in strata}
    left = dict.fromkeys(tasks, CHARS_IN_ALL // max(1, len(tasks)))
    samples: dict[Key, Sequence[Sample]] = {}
    failed: dict[Key, str] = {}
    for key in sorted(strata, key=lambda key: key[1]):
        if left[key[0]] <= 0:
            continue
        try:
            samples[key] = _draw(strata[key], plan.seed)
        except TaskError as error:
            failed[key] = str(error)
            continue
        left[key[0]] -= sum(sample.prompt.chars for sample in samples[key])
    return Measured(samples=samples, failed=failed)


def _strata(plan: Plan) -> dict[Key, list[Cell]]:
    """Cells by key, of the first model that has the key."""
    strata: dict[Key, list[Cell]] = {}
    for model in plan.models:
        mine: dict[Key, list[Cell]] = {}
        for cell in model.cells:
            mine.setdefault(key_of(cell), []).append(cell)
        strata = {**mine, **strata}
    return strata


def _draw(cells: Sequence[Cell], sweep_seed: int) -> list[Sample]:
    """Prompts of cells spread over the other axes, until there are enough."""
    order = Permutation(len(cells), derive_seed("forecast", sweep_seed))
    drawn: list[Sample] = []
    chars = 0
    for turn in range(MOST_PER_SIZE):
        cell = cells[order[turn % len(cells)]]
        # Long haystacks are shared by trials of one repeat, and so by these.
        repeat = turn % cell.repeats if chars < ENOUGH_CHARS // 4 else 0
        drawn.append(_made(cell.task, cell, trial_seed(sweep_seed, repeat)))
        chars += drawn[-1].prompt.chars
        if chars >= ENOUGH_CHARS:
            break
    return drawn


def _made(task: Task, cell: Cell, seed: int) -> Sample:
    return task.generate(cell.point.axes, seed)


def _counted(estimator: Estimator, sample: Sample) -> Amount:
    estimate = estimator.estimate(sample)
    return Amount(low=estimate.low, expected=estimate.expected, worst=estimate.worst)


def _mean(counted: Sequence[Amount], usual: Sequence[Amount]) -> Input:
    """The average; a single prompt is taken to vary like `usual`, growing with the root."""
    n = len(counted)
    mean = Amount.total(counted).times(1 / n)
    if n > 1:
        deviation = _deviation(counted)
    elif len(usual) > 1:
        growth = mean.expected / max(1.0, fmean(amount.expected for amount in usual))
        deviation = _deviation(usual) * math.sqrt(max(1.0, growth))
    else:
        deviation = mean.expected * SPREAD_UNKNOWN
    return Input(tokens=mean, error=deviation / math.sqrt(n))


def _usual(key: Key, counted: Mapping[Key, Sequence[Amount]]) -> Sequence[Amount]:
    """What was counted at the longest size of the same task that gave several prompts."""
    several = [
        (size, amounts)
        for (task, size), amounts in counted.items()
        if task == key[0] and len(amounts) > 1
    ]
    return max(several, key=lambda item: item[0])[1] if several else ()


def _deviation(counted: Sequence[Amount]) -> float:
    return stdev(amount.expected for amount in counted)


def _beyond(key: Key, known: Mapping[Key, Input]) -> Input:
    """A size that was too long to sample, along the line through the two longest that were."""
    task, size = key
    sizes = sorted(other for owner, other in known if owner == task)
    if not sizes:
        return Input(tokens=Amount(), error=0.0)
    last = sizes[-1]
    top = known[task, last]
    if len(sizes) == 1:
        factor = size / last if last else 1.0
        return Input(tokens=top.tokens.times(factor), error=top.error * factor)
    before = known[task, sizes[-2]]
    steps = (size - last) / (last - sizes[-2])
    rise = top.tokens + before.tokens.times(-1)
    error = math.hypot(top.error * (1 + steps), before.error * steps)
    return Input(tokens=top.tokens + rise.times(steps), error=error)
