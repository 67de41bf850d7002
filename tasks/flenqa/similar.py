"""Padding with whole paragraphs of other instances of the same task."""

from collections.abc import Callable, Iterator
from random import Random

from tasks.flenqa.instance import LONGEST, SHORTEST, BaseInstance, Paragraph
from tasks.flenqa.padding import Units, nearest
from tasks.identity import seed_repeat

_POOL = 100
"""Instances of the published set; longer texts draw from more of them."""


class Similar:
    """Paragraphs about other people and things, none of them twice."""

    def __init__(self, instance_of: Callable[[int], BaseInstance]) -> None:
        self._instance_of = instance_of

    def units(self, instance: BaseInstance, seed: int, rng: Random, budget: int) -> Units:
        """Units whose tokens add up to nearest the budget."""
        return nearest(self._others(instance, seed, rng, budget), budget)

    def _others(
        self, instance: BaseInstance, seed: int, rng: Random, budget: int
    ) -> Iterator[Paragraph]:
        base = seed - seed_repeat(seed)
        taken: set[tuple[int, int]] = set()
        used: set[str] = {key.text for key in instance.paragraphs}
        pool = max(_POOL, 2 * budget // (SHORTEST + LONGEST))
        while True:
            index, side = rng.randrange(pool), rng.randrange(2)
            if (index, side) in taken:
                continue
            taken.add((index, side))
            other = self._instance_of(base + index)
            key = other.paragraphs[side]
            if instance.entities.isdisjoint(other.entities) and key.text not in used:
                used.add(key.text)
                yield key
