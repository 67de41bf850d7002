"""What all Needle Threading tasks have in common: options, grid, wording, decoding."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from tasks.facts import TaskFacts
from tasks.grid import expand
from tasks.identity import derive_seed
from tasks.needle_threading.frame import HAYSTACK, QUESTION, Frame
from tasks.options import TaskOptions
from tasks.profiles import effective
from tasks.sample import (
    Axis,
    DoesNotFitError,
    Prompt,
    Sample,
    Scalar,
    TaskError,
    TaskPoint,
    Text,
    user_prompt,
)
from tasks.wording import load

Axes = Mapping[str, Scalar]

_UUID_TOKENS = 27
"""A UUID and its punctuation: 24 tokens of o200k, 32 where digits stand alone."""
_MAX_TOKENS = 64
_MAX_TOKENS_PER_ANSWER = 40
"""A list of 25 UUIDs takes 608 tokens of o200k; the README's 100 tokens cut it short."""


class NeedleThreadingTask(ABC):
    """A task of the family; subclasses say what is hidden and what is asked."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    axes: ClassVar[tuple[Axis, ...]]
    size_axis: ClassVar[str] = "size"
    size_unit: ClassVar[str] = "chars"
    source: ClassVar[str]
    shares: ClassVar[tuple[str, ...]]
    facts: ClassVar[TaskFacts]
    answers_axis: ClassVar[str | None] = None
    """The axis that says how many values are asked for; one value where there is none."""
    prompt_switches: ClassVar[tuple[str, ...]] = ("nt.order",)
    """The switches that shape this task's prompts; others must not change its identity."""

    def __init__(self, options: TaskOptions) -> None:
        self._options = options
        self._switches = {**effective("default", {}), **options.switches}
        self._wording = load("needle_threading", options.prompts)
        self._short = self.name.partition(".")[2]
        self._question_words = self._wording.template(f"{self._short}_question")
        self._frames: dict[tuple[tuple[str, str], ...], Frame] = {}

    @abstractmethod
    def infeasible(self, axes: Axes) -> str | None:
        """Why this combination can have no prompt, else None."""

    @abstractmethod
    def _draw(self, axes: Axes, seed: int) -> Sample:
        """The sample of a feasible combination."""

    @abstractmethod
    def chance(self, axes: Axes) -> float | None:
        """The accuracy that guessing gives; None where nobody can say."""

    def values_asked(self, axes: Axes) -> int:
        """How many values the reply should hold."""
        return 1 if self.answers_axis is None else whole(axes, self.answers_axis)

    def reply_tokens(self, axes: Axes) -> float:
        """Visible tokens of a usual reply: the values, and hardly a word around them."""
        return 6 + _UUID_TOKENS * self.values_asked(axes)

    def decoding(self, axes: Axes) -> Mapping[str, Any]:
        """Greedy, with room for all values."""
        room = _MAX_TOKENS + _MAX_TOKENS_PER_ANSWER * self.values_asked(axes)
        return {"temperature": 0, "max_tokens": room}

    def generate(self, axes: Axes, seed: int) -> Sample:
        """The prompt and target of one point and seed; same arguments, same bytes."""
        reason = self.infeasible(axes)
        if reason is not None:
            raise DoesNotFitError(f"{self.name}: {reason}")
        return self._draw(axes, seed)

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """All feasible points; the others are left out, or an error under nt.infeasible."""
        for axes in expand(self.name, self.axes, given):
            reason = self.infeasible(axes)
            if reason is None:
                yield self._point(axes)
            elif self._switches["nt.infeasible"] == "error":
                at = ", ".join(f"{name} = {value!r}" for name, value in axes.items())
                raise TaskError(f"{self.name}: {at}: {reason}")

    def _point(self, axes: Axes) -> TaskPoint:
        return TaskPoint(
            task=self.name,
            version=self.version,
            axes=axes,
            switches={name: self._switches[name] for name in self.prompt_switches},
            inputs=self._inputs(),
        )

    def _inputs(self) -> dict[str, str]:
        return {"prompts": self._wording.hash} if self._wording.hash else {}

    def _rng(self, axes: Axes, seed: int) -> Random:
        """The source of all draws of one point, apart from the haystack's own."""
        return Random(derive_seed(self.name, self.version, dict(axes), seed))

    def _prompt(
        self, haystack: Text, question: Mapping[str, Scalar], instruction: Mapping[str, str]
    ) -> Prompt:
        words = tuple(instruction.items())
        frame = self._frames.get(words)
        if frame is None:
            frame = self._frames[words] = self._frame(instruction)
        return user_prompt(*frame.fill(haystack, self._question_words.render(question)))

    def _frame(self, instruction: Mapping[str, str]) -> Frame:
        pieces = self._wording.pieces(
            str(self._switches["nt.order"]),
            instruction=self._wording.render(self._short, **instruction),
            haystack=HAYSTACK,
            question=QUESTION,
        )
        return Frame(pieces)


def whole(axes: Axes, name: str) -> int:
    """The value of a whole-numbered axis."""
    value = axes[name]
    if not isinstance(value, int):
        raise TaskError(f"{name} = {value!r} must be whole")
    return value
