"""Simplified RuleTaker: two facts, one rule, and an assertion that follows or does not."""

from random import Random
from typing import ClassVar

from tasks.facts import TaskFacts
from tasks.flenqa.family import SOURCE, TRUE_OR_FALSE, Axes, FlenqaTask
from tasks.flenqa.instance import BaseInstance, paragraph
from tasks.flenqa.words import words


class RuleTaker(FlenqaTask):
    """Does the assertion follow? The rule stands in the prompt, not in the padded text."""

    name: ClassVar[str] = "flenqa.ruletaker"
    source: ClassVar[str] = f"{SOURCE}, Simplified RuleTaker; entities and attributes ours"
    dataset: ClassVar[str] = "Simplified RuleTaker"
    facts: ClassVar[TaskFacts] = TRUE_OR_FALSE

    def chance(self, axes: Axes) -> float | None:
        """A coin's."""
        del axes
        return 0.5

    def _draw(self, rng: Random, *, label: bool) -> BaseInstance:
        lists = words()
        entity = rng.choice(lists.first)
        # Of different groups, so that none excludes another.
        one, two, then, other = map(rng.choice, rng.sample(lists.attributes, 4))
        asserted, needed = then, two
        if not label:  # either the rule asks for more than is known, or it says something else
            asserted, needed = (then, other) if rng.getrandbits(1) else (other, two)
        facts = [
            paragraph(rng, f"{entity} is {fact}.", lists.described, a=entity, b=fact)
            for fact in (one, two)
        ]
        return BaseInstance(
            paragraphs=(facts[0], facts[1]),
            question=f"{entity} is {asserted}.",
            label=label,
            entities=frozenset((entity,)),
            rule=f"If X is {one} and X is {needed} then X is {then}.",
        )
