"""Next word: the same padded texts, cut before a last word that the text itself gives away."""

from dataclasses import replace
from random import Random
from typing import ClassVar

from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.flenqa.family import PADDING, SIZE, SOURCE, Axes, FlenqaTask, Posed
from tasks.flenqa.instance import BaseInstance
from tasks.flenqa.monorel import draw_comparison
from tasks.sample import Axis, Prompt, Text, user_prompt


class NextWord(FlenqaTask):
    """What comes next?

    The published measure needs token probabilities, which few providers give. Ours asks for the
    word: the text ends in a MonoRel key paragraph whose last sentence repeats its key sentence.
    """

    name: ClassVar[str] = "flenqa.next_word"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, replace(PADDING, published=("different",)))
    source: ClassVar[str] = f"{SOURCE}, next-word prediction; asked for in words, which is ours"
    shares: ClassVar[tuple[str, ...]] = ("size", "padding")
    dataset: ClassVar[str] = "next_word"
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="word", text="prose", unit_tokens=CL100K_TOKENS, overall="flenqa"
    )

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def _draw(self, rng: Random, *, label: bool) -> BaseInstance:
        instance = draw_comparison(rng, label=label)
        first, second = instance.paragraphs
        text = f"{second.text} Once more: {second.key_sentence}"
        longer = replace(second, text=text, tokens=self._counter.count(text))
        return replace(instance, paragraphs=(first, longer))

    def _pose(self, axes: Axes, seed: int) -> Posed:
        instance = self.instance(seed)
        padded = self._padded(instance, {**axes, "placement": "last"}, seed).text
        given, _, word = padded.rpartition(" ")
        return Posed(
            text=Text(given),
            question="",
            label=word.removesuffix("."),
            key_sentences=[instance.paragraphs[1].key_sentence],
            facts=[],
        )

    def _prompt(self, posed: Posed, *, cot: bool) -> Prompt:
        del cot
        return user_prompt(*self._wording.pieces("next_word", text=posed.text))
