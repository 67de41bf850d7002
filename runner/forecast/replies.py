"""How long a reply to expect, before any reply of the model was seen.

A right answer has a length that follows from the question, which a task tells; what a model thinks
before it has none. Usage that came back replaces these guesses (see `runner.forecast.learned`).
"""

from collections.abc import Mapping

from runner.models.thinking import thinks
from runner.plan.cell import Cell
from tasks.sample import Scalar

Axes = Mapping[str, Scalar]

THOUGHT_TOKENS = 1000
"""Of a reasoning model about one of these questions, where nothing is known."""


def reply_class(task: str, axes: Axes) -> str:
    """Replies of one class have lengths in proportion to what the task expects of a usual one."""
    return f"{task} cot" if axes.get("cot") is True else task


def thought_tokens(cell: Cell) -> float:
    """Tokens of reasoning to expect before the reply."""
    return THOUGHT_TOKENS if thinks(cell.model) else 0.0
