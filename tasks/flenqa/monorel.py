"""MonoRel: two comparisons on one scale, and a third that follows from them or not."""

from random import Random
from typing import ClassVar

from tasks.facts import TaskFacts
from tasks.flenqa.family import SOURCE, TRUE_OR_FALSE, Axes, FlenqaTask
from tasks.flenqa.instance import BaseInstance, Paragraph, paragraph
from tasks.flenqa.words import words


class MonoRel(FlenqaTask):
    """Is A more so than C, given A than B and B than C?"""

    name: ClassVar[str] = "flenqa.monorel"
    source: ClassVar[str] = f"{SOURCE}, MonoRel; relations and names ours"
    dataset: ClassVar[str] = "MonoRel"
    facts: ClassVar[TaskFacts] = TRUE_OR_FALSE

    def chance(self, axes: Axes) -> float | None:
        """A coin's."""
        del axes
        return 0.5

    def _draw(self, rng: Random, *, label: bool) -> BaseInstance:
        return draw_comparison(rng, label=label)


def draw_comparison(rng: Random, *, label: bool) -> BaseInstance:
    """Three people on one scale; the question is asked the other way round where it is false."""
    lists = words()
    measure, comparative = rng.choice(lists.relations)
    first = rng.sample(lists.first, 3)
    a, b, c = (f"{name} {rng.choice(lists.last)}" for name in first)

    def compared(one: str, other: str) -> Paragraph:
        key = f"{one} is {comparative} than {other}."
        fields = {"a": one, "b": other, "cmp": comparative, "measure": measure}
        return paragraph(rng, key, lists.compared, **fields)

    asked, about = (a, c) if label else (c, a)
    return BaseInstance(
        paragraphs=(compared(a, b), compared(b, c)),
        question=f"Is {asked} {comparative} than {about}?",
        label=label,
        entities=frozenset((a, b, c)),
    )
