"""Tasks that look values up: by one key, by several, by a mark in keys that are not named."""

from random import Random
from typing import ClassVar

import orjson

from tasks.facts import TaskFacts
from tasks.needle_threading.family import Axes, whole
from tasks.needle_threading.grids import CHARACTER, DEPTH, NEEDLES, PLACEMENT, SIZE, SOURCE
from tasks.needle_threading.pair_task import IN_OVERALL, PairTask, Question
from tasks.needle_threading.pairs import PAIR_CHARS, UUID_CHARS
from tasks.sample import Axis, Sample, TaskError

_HEX_POSITIONS = tuple(at for at in range(UUID_CHARS) if at not in {8, 13, 18, 23})


class SingleNeedle(PairTask):
    """The value of one key, at a depth."""

    name: ClassVar[str] = "needle_threading.single_needle"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, DEPTH)
    source: ClassVar[str] = f"{SOURCE}, single needle"
    shares: ClassVar[tuple[str, ...]] = ("size",)
    prompt_switches: ClassVar[tuple[str, ...]] = ("nt.order", "nt.depth_index")
    facts: ClassVar[TaskFacts] = IN_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """One pair of the haystack."""
        return min(1.0, PAIR_CHARS / whole(axes, "size"))

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        index = self._index(axes, haystack.pairs)
        key = haystack.key(index)
        question = Question(
            expected=[haystack.value(index)],
            queries=[key],
            asked={"key": key},
            lengths={"depth_actual": 100 * index / haystack.pairs},
        )
        return self._sample(haystack.text, question)

    def _index(self, axes: Axes, pairs: int) -> int:
        depth = axes["depth"]
        if not isinstance(depth, int | float):
            raise TaskError(f"{self.name}: depth = {depth!r} must be a number (percent)")
        if self._switches["nt.depth_index"] == "round":
            return round(depth / 100 * (pairs - 1))
        return min(pairs - 1, int(pairs * depth / 100))


class MultiNeedle(PairTask):
    """The values of several keys, in the order in which the keys are asked."""

    name: ClassVar[str] = "needle_threading.multi_needle"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, NEEDLES, PLACEMENT)
    source: ClassVar[str] = f"{SOURCE}, multiple needles"
    shares: ClassVar[tuple[str, ...]] = ("size",)
    answers_axis: ClassVar[str | None] = "needles"
    facts: ClassVar[TaskFacts] = IN_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        places = place(self._rng(axes, seed), axes, haystack.pairs)
        keys = [haystack.key(index) for index in places]
        question = Question(
            expected=[haystack.value(index) for index in places],
            queries=keys,
            asked={"keys": json_list(keys)},
            many=True,
            ordered=True,
        )
        return self._sample(haystack.text, question)


class ConditionalNeedle(PairTask):
    """The values of all keys that contain a character which no other key has."""

    name: ClassVar[str] = "needle_threading.conditional_needle"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, NEEDLES, PLACEMENT, CHARACTER)
    source: ClassVar[str] = f"{SOURCE}, conditional needles"
    shares: ClassVar[tuple[str, ...]] = ("size", "needles", "placement", "character")
    answers_axis: ClassVar[str | None] = "needles"
    facts: ClassVar[TaskFacts] = IN_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        rng = self._rng(axes, seed)
        mark = str(axes["character"])
        places = place(rng, axes, haystack.pairs)
        marked = {index: _mark(haystack.key(index), mark, rng) for index in places}
        question = Question(
            expected=[haystack.value(index) for index in sorted(places)],
            echoes=[marked[index] for index in sorted(places)],
            asked={"character": mark},
            instruction={"character": mark},
            many=True,
        )
        return self._sample(haystack.with_keys(marked), question)


def _mark(key: str, mark: str, rng: Random) -> str:
    at = rng.choice(_HEX_POSITIONS)
    return key[:at] + mark + key[at + 1 :]


def place(rng: Random, axes: Axes, pairs: int) -> list[int]:
    """Indices of the needles: anywhere in the order drawn, or a run of neighbours."""
    needles = whole(axes, "needles")
    if axes["placement"] == "clustered":
        start = rng.randrange(pairs - needles + 1)
        return list(range(start, start + needles))
    return rng.sample(range(pairs), needles)


def json_list(items: list[str]) -> str:
    """Items as a list in square brackets, each in double quotes."""
    return "[" + ", ".join(orjson.dumps(item).decode() for item in items) + "]"
