"""How long a reply to expect, before any reply of the model was seen.

A right answer has a length that follows from the question; what a model says around it does not.
Usage that came back replaces these guesses (see `runner.forecast.learned`).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from runner.plan.cell import Cell
from runner.providers.formats.capabilities import capability
from tasks.sample import Scalar, Task

Axes = Mapping[str, Scalar]

THOUGHT_TOKENS = 1000
"""Of a reasoning model about one of these questions, where nothing is known."""
_UUID_TOKENS = 27
"""A UUID and its punctuation: 24 tokens of o200k, 32 where digits stand alone."""
_NT_CAP_OF_NONE, _NT_CAP_PER_VALUE = 64, 40
"""How Needle Threading's output cap grows with the number of values asked for."""


def _values(_: Axes, cap: int) -> float:
    return 6 + _UUID_TOKENS * max(1, (cap - _NT_CAP_OF_NONE) / _NT_CAP_PER_VALUE)


def _verdict(axes: Axes, _: int) -> float:
    return 160.0 if axes.get("cot") is True else 5.0


def _sentence(_: Axes, _cap: int) -> float:
    return 24.0


def _chain(axes: Axes, _: int) -> float:
    k = axes.get("k")
    return 60 + 45 * (k if isinstance(k, int | float) else 10)


_BY_FAMILY: Mapping[str, Callable[[Axes, int], float]] = MappingProxyType(
    {"needle_threading": _values, "flenqa": _verdict, "niah": _sentence, "needlechain": _chain}
)


def usual_of(task: Task, axes: Axes) -> float:
    """Visible tokens of a usual reply at a point, whatever the model and its cap."""
    family = task.name.partition(".")[0]
    return _BY_FAMILY.get(family, _sentence)(axes, int(task.decoding(axes).get("max_tokens", 0)))


def reply_class(task: str, axes: Axes) -> str:
    """Replies of one class have lengths in proportion to `usual_of`."""
    return f"{task} cot" if axes.get("cot") is True else task


def thought_tokens(cell: Cell) -> float:
    """Tokens of reasoning to expect before the reply."""
    known = capability(cell.model.provider, cell.model.name)
    return THOUGHT_TOKENS if known.reasoning and _thinks(cell) else 0.0


def _thinks(cell: Cell) -> bool:
    return cell.params.get("reasoning_effort") != "none"


def output_floor(cell: Cell) -> int:
    """The least output cap that leaves room for an answer; 1 where no thinking is paid from it."""
    return capability(cell.model.provider, cell.model.name).output_floor if _thinks(cell) else 1
