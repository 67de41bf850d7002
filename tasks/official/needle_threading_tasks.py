"""Needle Threading over published rows.

The haystack is the row's. Under `nt.order = haystack_first`, as in the README's example, the prompt
is the haystack, a line break and the row's own question, word for word; otherwise our instruction
and question stand around the haystack.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from tasks.needle_threading.family import Axes
from tasks.needle_threading.pair_task import PairTask, Question
from tasks.needle_threading.retrieval import (
    ConditionalNeedle,
    MultiNeedle,
    SingleNeedle,
    json_list,
)
from tasks.needle_threading.threads import MultiThreading, Threading
from tasks.official.samples import Samples
from tasks.official.source import data_path
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar, TaskPoint, user_prompt


class PublishedPairs(PairTask):
    """A Needle Threading task that asks about rows of a data file."""

    prompt_switches: ClassVar[tuple[str, ...]] = ("nt.order",)

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(options)
        self._samples = Samples(data_path(options), self.name, self.axes)

    def repeats(self, axes: Mapping[str, Scalar]) -> int:
        """How many rows the file has at a point."""
        return self._samples.repeats(axes)

    def infeasible(self, axes: Axes) -> str | None:
        """A point that the file has no row of."""
        return None if self._samples.repeats(axes) else "no row of the data file is so"

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """The points of the file."""
        for axes in self._samples.points(given):
            yield self._point(axes)

    def _inputs(self) -> dict[str, str]:
        return {**super()._inputs(), "data": self._samples.hash}

    def _draw(self, axes: Axes, seed: int) -> Sample:
        sampled, haystack = self._samples.take(axes, seed)
        row = sampled.inputs
        sample = self._sample(haystack, self._question(row, axes))
        if self._switches["nt.order"] == "haystack_first" and not self._wording.hash:
            return replace(sample, prompt=user_prompt(haystack, f"\n{row['question']}"))
        return sample

    def _question(self, row: Mapping[str, Any], axes: Axes) -> Question:  # noqa: ARG002
        """One value for one key."""
        return Question(expected=row["values"], queries=row["keys"], asked={"key": row["keys"][0]})


class _Lists(PublishedPairs):
    def _question(self, row: Mapping[str, Any], axes: Axes) -> Question:  # noqa: ARG002
        return Question(
            expected=row["values"],
            queries=row["keys"],
            asked={"keys": json_list(row["keys"])},
            many=True,
            ordered=True,
        )


class PublishedSingleNeedle(PublishedPairs, SingleNeedle):
    """Split `Single_Needle`."""


class PublishedMultiNeedle(_Lists, MultiNeedle):
    """Split `Multiple_Needles`."""


class PublishedThreading(PublishedPairs, Threading):
    """Split `Single_Threads`."""


class PublishedMultiThreading(_Lists, MultiThreading):
    """Split `Multi_Threads`."""


class PublishedConditionalNeedle(PublishedPairs, ConditionalNeedle):
    """Split `Conditional_Needles`; the keys are not named in the question."""

    def _question(self, row: Mapping[str, Any], axes: Axes) -> Question:
        mark = {"character": str(axes["character"])}
        return Question(
            expected=row["values"], echoes=row["keys"], asked=mark, instruction=mark, many=True
        )
