"""The user's own needle and question, as in the first needle-in-a-haystack test."""

from random import Random
from typing import ClassVar

from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.identity import stable_hash
from tasks.niah.family import BUFFER, DEPTH, SIZE, Axes, Hidden, NiahTask
from tasks.options import TaskOptions
from tasks.sample import Axis, TaskError

_NEEDLE = "The spare wick for the harbour lamp is kept in a blue biscuit tin under the stairs."
_QUESTION = "Where is the spare wick for the harbour lamp kept?"
_ANSWER = ("blue", "tin", "under the stairs")


class Custom(NiahTask):
    """One needle for all points; repeats differ by their prose alone."""

    name: ClassVar[str] = "niah.custom"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, DEPTH, BUFFER)
    source: ClassVar[str] = "gkamradt LLMTest_NeedleInAHaystack 7b90d28; keyword scorer ours"
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="keywords", text="prose", unit_tokens=CL100K_TOKENS, overall=None
    )

    def chance(self, axes: Axes) -> float | None:
        """Nobody guesses a sentence."""
        del axes
        return 0.0

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(options)
        self._needle, self._question, self._answer = _settings(options)
        spelled = [self._needle, self._question, list(self._answer)]
        self._inputs["needle"] = stable_hash(spelled)

    def longest_needle(self, axes: Axes) -> int:
        """Tokens of the needle."""
        del axes
        return self._counter.count(self._wording.render("custom_needle", needle=self._needle))

    def _hide(self, axes: Axes, rng: Random) -> Hidden:
        del axes, rng
        return Hidden(
            needle=self._wording.render("custom_needle", needle=self._needle),
            question=self._question,
            # The question and the needle are for a judge of free text; keywords need neither.
            target={
                "kind": "keywords",
                "keywords": list(self._answer),
                "question": self._question,
                "needle": self._needle,
            },
        )


def _settings(options: TaskOptions) -> tuple[str, str, tuple[str, ...]]:
    given = {"needle": options.needle, "question": options.question, "answer": options.answer}
    if not any(given.values()):
        return _NEEDLE, _QUESTION, _ANSWER
    for key, value in given.items():
        if not value or (key == "answer" and not all(word.strip() for word in options.answer)):
            raise TaskError(f"niah.custom: {key} is missing; give needle, question and answer")
    return options.needle or "", options.question or "", options.answer
