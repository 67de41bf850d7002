"""What a task says of itself, so that nothing else has to know tasks by their names."""

from dataclasses import dataclass
from typing import Literal

TextKind = Literal["uuid", "prose", "names", "mixed"]
"""What a prompt is mostly made of; tokens per character are learned per model and kind."""
AnswerKind = Literal[
    "values", "true_false", "word", "number", "absent", "keywords", "amount", "judgement"
]
"""What a right reply gives. A judge's tasks ask for a judgement, and are no benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTokens:
    """Tokens of one unit of a task's size, whichever tokenizer counts them."""

    low: float
    """No tokenizer measured so far makes fewer."""
    expected: float
    worst: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """What holds at every point of a task."""

    answer: AnswerKind
    text: TextKind
    """What its prompts are mostly made of."""
    unit_tokens: UnitTokens | None = None
    """Of one unit of its size; None where sizes are characters, which models count as they do."""
    overall: str | None
    """In which overall mean the task counts with equal weight; None where it is left out of all."""
    overall_tasks: int | None = None
    """Over how many tasks that mean was published."""
    official_repeats: int | None = None
    """How many repeats the benchmark's own evaluation reads of what it makes."""


CL100K_TOKENS = UnitTokens(low=0.8, expected=1.0, worst=1.7)
"""Of a size that is counted in tokens of cl100k_base, for models that count otherwise."""
