"""Tasks that follow threads: the value of a pair is the key of the next one.

A thread is made by giving the next pair's key the value of the pair before, so the old key is
gone and no value ever changes.
"""

from itertools import pairwise
from random import Random
from typing import ClassVar

from tasks.facts import TaskFacts
from tasks.needle_threading.family import Axes, whole
from tasks.needle_threading.grids import (
    DIRECTION,
    MULTI_DIRECTION,
    MULTI_THREAD_LENGTH,
    SIZE,
    SOURCE,
    THREAD_LENGTH,
    THREADS,
)
from tasks.needle_threading.pair_task import IN_OVERALL, PairTask, Question
from tasks.needle_threading.pairs import Haystack
from tasks.needle_threading.retrieval import json_list
from tasks.sample import Axis, Sample


class Threading(PairTask):
    """The value at the end of one thread."""

    name: ClassVar[str] = "needle_threading.threading"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, THREAD_LENGTH, DIRECTION)
    source: ClassVar[str] = f"{SOURCE}, threading"
    shares: ClassVar[tuple[str, ...]] = ("size", "thread_length", "direction")
    facts: ClassVar[TaskFacts] = IN_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def pairs_needed(self, axes: Axes) -> int:
        """A pair for each step."""
        return whole(axes, "thread_length")

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        drawn = self._rng(axes, seed).sample(range(haystack.pairs), self.pairs_needed(axes))
        thread = lay(drawn, str(axes["direction"]))
        key = haystack.key(thread[0])
        question = Question(
            expected=[haystack.value(thread[-1])],
            queries=[key],
            asked={"key": key},
            path=[haystack.value(index) for index in thread],
        )
        return self._sample(haystack.with_keys(links(haystack, thread)), question)


class MultiThreading(PairTask):
    """The values at the ends of several threads that share no pair."""

    name: ClassVar[str] = "needle_threading.multi_threading"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, MULTI_THREAD_LENGTH, THREADS, MULTI_DIRECTION)
    source: ClassVar[str] = f"{SOURCE}, multi-threading"
    shares: ClassVar[tuple[str, ...]] = ("size", "thread_length", "threads", "direction")
    answers_axis: ClassVar[str | None] = "threads"
    facts: ClassVar[TaskFacts] = IN_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def pairs_needed(self, axes: Axes) -> int:
        """A pair for each step of each thread."""
        return whole(axes, "threads") * whole(axes, "thread_length")

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        rng = self._rng(axes, seed)
        drawn = rng.sample(range(haystack.pairs), self.pairs_needed(axes))
        threads = lay_many(drawn, whole(axes, "thread_length"), str(axes["direction"]), rng)
        keys = [haystack.key(thread[0]) for thread in threads]
        question = Question(
            expected=[haystack.value(thread[-1]) for thread in threads],
            queries=keys,
            asked={"keys": json_list(keys)},
            many=True,
            ordered=True,
        )
        rewritten = {
            index: key for thread in threads for index, key in links(haystack, thread).items()
        }
        return self._sample(haystack.with_keys(rewritten), question)


def lay(drawn: list[int], direction: str) -> list[int]:
    """Places in the order in which the thread visits them; `random` keeps them as drawn."""
    if direction == "forward":
        return sorted(drawn)
    if direction == "backward":
        return sorted(drawn, reverse=True)
    return drawn


def lay_many(drawn: list[int], length: int, mode: str, rng: Random) -> list[list[int]]:
    """Threads of `length` over the drawn places.

    Under `random_directions` each thread runs forward or backward by the toss of a coin; under
    `all_random` each visits its places in the order drawn. The paper names these modes only.
    """
    threads: list[list[int]] = []
    for start in range(0, len(drawn), length):
        direction = rng.choice(("forward", "backward")) if mode == "random_directions" else mode
        threads.append(lay(drawn[start : start + length], direction))
    return threads


def links(haystack: Haystack, thread: list[int]) -> dict[int, str]:
    """The new key of every pair but the thread's first: the value of the pair before it."""
    return {after: haystack.value(before) for before, after in pairwise(thread)}
