"""FLenQA over published rows: our wording of the notebook's structure around their padded text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tasks.flenqa.family import Axes, FlenqaTask, Posed
from tasks.flenqa.monorel import MonoRel
from tasks.flenqa.pir import PeopleInRooms
from tasks.flenqa.ruletaker import RuleTaker
from tasks.official.samples import Samples
from tasks.official.source import data_path
from tasks.options import TaskOptions
from tasks.sample import Scalar, TaskPoint


class PublishedProblem(FlenqaTask):
    """A FLenQA task that asks about rows of a data file, directly or for a chain of thought."""

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(replace(options, haystack=None))  # the padding is the row's
        self._samples = Samples(data_path(options), self.name, self.axes)
        self.inputs["data"] = self._samples.hash

    def repeats(self, axes: Mapping[str, Scalar]) -> int:
        """How many rows the file has at a point."""
        return self._samples.repeats(axes)

    def infeasible(self, axes: Axes) -> str | None:
        """A point that the file has no row of."""
        return None if self._samples.repeats(axes) else "no row of the data file is so"

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """The points of the file, asked both ways."""
        for axes in self._samples.points(given):
            yield TaskPoint(task=self.name, version=self.version, axes=axes, inputs=self.inputs)

    def label(self, axes: Axes, seed: int) -> bool:
        """The right answer at this point and seed, as its row has it."""
        sampled, _ = self._samples.take(axes, seed)
        return str(sampled.inputs["label"]) == "True"

    def pose(self, axes: Axes, seed: int) -> Posed:
        """The problem of a row, with its padding around it."""
        sampled, text = self._samples.take(axes, seed)
        row = sampled.inputs
        return Posed(
            text=text,
            question=row["question"],
            label=str(row["label"]),
            key_sentences=row["key_sentences"],
            facts=row["facts"],
            rule=row["rule"],
        )


class PublishedMonoRel(PublishedProblem, MonoRel):
    """Rows of `MonoRel`."""


class PublishedPir(PublishedProblem, PeopleInRooms):
    """Rows of `PIR`."""


class PublishedRuleTaker(PublishedProblem, RuleTaker):
    """Rows of `Simplified RuleTaker`."""
