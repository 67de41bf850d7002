"""A city's magic number in a haystack, or the question about it without the number."""

from functools import cached_property
from random import Random
from typing import ClassVar

from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.niah.cities import CITIES, draw_city
from tasks.niah.family import BUFFER, DEPTH, DIGITS, SIZE, SOURCE, Axes, Hidden, NiahTask
from tasks.sample import Axis


class _CityTask(NiahTask):
    """City and number are drawn anew for every point and repeat."""

    prompt_switches: ClassVar[tuple[str, ...]] = ("niah.negative_slice", "niah.city_weights")

    def _draw(self, axes: Axes, rng: Random) -> tuple[str, str]:
        city = draw_city(rng, weighted=self._switches["niah.city_weights"] == "official")
        digits = int(str(axes["digits"]))
        return city, str(rng.randrange(10 ** (digits - 1), 10**digits))


class MagicNumber(_CityTask):
    """The number stands in the context."""

    name: ClassVar[str] = "niah.magic_number"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, DEPTH, DIGITS, BUFFER)
    source: ClassVar[str] = f"{SOURCE}, random city and number"
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="number", text="prose", unit_tokens=CL100K_TOKENS, overall="niah"
    )

    def chance(self, axes: Axes) -> float | None:
        """One of millions of numbers."""
        del axes
        return 0.0

    def longest_needle(self, axes: Axes) -> int:
        """Tokens of the longest needle that this point may draw."""
        return self._longest_name + -(-int(str(axes["digits"])) // 3)

    @cached_property
    def _longest_name(self) -> int:
        needles = (self._wording.render("needle", city=city, number="") for city in CITIES)
        return max(map(self._counter.count, needles)) + 1

    def _hide(self, axes: Axes, rng: Random) -> Hidden:
        city, number = self._draw(axes, rng)
        return Hidden(
            needle=self._wording.render("needle", city=city, number=number),
            question=self._wording.render("question", city=city),
            target={"kind": "number", "number": number, "city": city},
        )


class Negative(_CityTask):
    """The number does not stand in the context: a space is added where it would be, at the end."""

    name: ClassVar[str] = "niah.negative"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, DIGITS, BUFFER)
    source: ClassVar[str] = f"{SOURCE}, negative test (one prompt per length)"
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="absent", text="prose", unit_tokens=CL100K_TOKENS, overall=None
    )

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def longest_needle(self, axes: Axes) -> int:
        """Tokens of the one space."""
        del axes
        return 1

    def _hide(self, axes: Axes, rng: Random) -> Hidden:
        city, number = self._draw(axes, rng)
        return Hidden(
            needle=" ",
            question=self._wording.render("question", city=city),
            target={"kind": "absent", "number": number, "city": city},
        )
