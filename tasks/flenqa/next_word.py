"""Next word: the same padded texts as the other tasks have, cut before a word of their padding."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.flenqa.family import (
    DECODING,
    PADDING,
    PLACEMENT,
    SIZE,
    SOURCE,
    UNPADDED,
    Axes,
    FlenqaTask,
    Posed,
)
from tasks.flenqa.monorel import MonoRel
from tasks.flenqa.pir import PeopleInRooms
from tasks.flenqa.ruletaker import RuleTaker
from tasks.grid import expand
from tasks.identity import derive_seed
from tasks.options import TaskOptions
from tasks.sample import Axis, DoesNotFitError, Sample, Scalar, TaskPoint, Text, user_prompt
from tasks.tokens import exact_counter
from tasks.wording import load

PROBLEM = Axis(
    name="problem",
    published=("monorel", "pir", "ruletaker"),
    source=f"{SOURCE}, next-word prediction: over the samples of all three tasks",
    choices=("monorel", "pir", "ruletaker"),
)
_WORD = re.compile(r"(?<=[^\W\d_] )[^\W\d_]+(?=[ ,;.!?])")
_LATE = 10
"""The word is one of the last tenth of the padding's words."""
_LEAD = 6
"""Words of padding that stand before it at least: from a key paragraph nothing tells it."""
_ROOM = 60
"""Tokens of other text behind the key paragraphs where the size leaves no room for padding."""


class NextWord:
    """What comes next?

    The published measure needs token probabilities, which few providers give. Ours asks for the
    word, late in the padding of a text that the reasoning tasks pad alike, its question left out.
    """

    name: ClassVar[str] = "flenqa.next_word"
    version: ClassVar[int] = 2
    axes: ClassVar[tuple[Axis, ...]] = (
        SIZE,
        replace(PADDING, published=("different",)),
        replace(PLACEMENT, published=("random",)),
        PROBLEM,
    )
    size_axis: ClassVar[str] = "size"
    size_unit: ClassVar[str] = "tokens"
    source: ClassVar[str] = f"{SOURCE}, next-word prediction; asked for in words, which is ours"
    shares: ClassVar[tuple[str, ...]] = ("size", "padding", "placement", "problem")
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="word", text="prose", unit_tokens=CL100K_TOKENS, overall=None
    )

    def __init__(self, options: TaskOptions) -> None:
        self._problems: Mapping[Scalar, FlenqaTask] = {
            "monorel": MonoRel(options),
            "pir": PeopleInRooms(options),
            "ruletaker": RuleTaker(options),
        }
        self._wording = load("flenqa", options.prompts)
        self._counter = exact_counter("cl100k_base")

    def infeasible(self, axes: Axes) -> str | None:
        """What has no text under the reasoning task has none here."""
        return self._problems[axes["problem"]].infeasible(axes)

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def values_asked(self, axes: Axes) -> int:
        """One word."""
        del axes
        return 1

    def reply_tokens(self, axes: Axes) -> float:
        """The word alone."""
        del axes
        return 5.0

    def decoding(self, axes: Axes) -> Mapping[str, Any]:
        """The reasoning tasks' own."""
        del axes
        return DECODING

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """All points."""
        for axes in expand(self.name, self.axes, given):
            inputs = self._problems[axes["problem"]].inputs
            yield TaskPoint(task=self.name, version=self.version, axes=axes, inputs=inputs)

    def generate(self, axes: Axes, seed: int) -> Sample:
        """The prompt and target of one point and seed; same arguments, same bytes."""
        reason = self.infeasible(axes)
        if reason is not None:
            raise DoesNotFitError(f"{self.name}: {reason}")
        problem = self._problems[axes["problem"]]
        posed = problem.pose(axes, seed)
        rng = Random(derive_seed(self.name, self.version, dict(axes), seed))
        text = posed.text.text
        if axes["size"] == UNPADDED:
            text = f"{text}\n{problem.passage(seed, _ROOM, rng)}"
        words = _late_words(text, posed)
        if not words:
            raise DoesNotFitError(f"{self.name}: the padding has no word to ask for")
        word = rng.choice(words)
        given = Text(text[: word.start()].rstrip())
        return Sample(
            prompt=user_prompt(*self._wording.pieces("next_word", text=given)),
            target={"dataset": "next_word", "label": word[0]},
            kind="prose",
            lengths={
                "tokens": given.tokens(self._counter),
                "nominal": float(str(axes["size"])),
            },
        )


def _late_words(text: str, posed: Posed) -> list[re.Match[str]]:
    """The words near the end of the padding, each with a few words of padding before it."""
    keys = [(text.find(key), text.find(key) + len(key)) for key in posed.paragraphs]
    words = [word for word in _WORD.finditer(text) if _is_padding(word, keys, text)]
    return words[-max(1, len(words) // _LATE) :]


def _is_padding(word: re.Match[str], keys: Sequence[tuple[int, int]], text: str) -> bool:
    behind = max((end for start, end in keys if start <= word.start()), default=0)
    return word.start() > behind and text.count(" ", behind, word.start()) >= _LEAD
