"""NeedleChain over published rows: our prompt structure around their facts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from tasks.needlechain.prompt import Asked, Question
from tasks.needlechain.tasks import Backward, Forward, Mixed, NeedleChain, Stack
from tasks.official.samples import Samples
from tasks.official.source import data_path
from tasks.options import TaskOptions
from tasks.sample import Scalar, TaskPoint


class PublishedChain(NeedleChain):
    """A NeedleChain task that asks about rows of a data file."""

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(options)
        self._samples = Samples(data_path(options), self.name, self.axes)

    def repeats(self, axes: Mapping[str, Scalar]) -> int:
        """How many rows the file has at a point."""
        return self._samples.repeats(axes)

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """The points of the file, with either question."""
        inputs = {**self._inputs, "data": self._samples.hash}
        for axes in self._samples.points(given):
            yield TaskPoint(task=self.name, version=self.version, axes=axes, inputs=inputs)

    def _asked(self, axes: Mapping[str, Scalar], seed: int) -> Asked:
        row = self._samples.take(axes, seed)[0].inputs
        question = cast("Question", axes["question"])
        return Asked(
            chain=self.chain,
            question=question,
            names=row["names"],
            lines=row["lines"],
            presented=row["presented"],
            answer=row[question],
        )


class PublishedForward(PublishedChain, Forward):
    """The published forward chains."""


class PublishedBackward(PublishedChain, Backward):
    """The published backward chains."""


class PublishedMixed(PublishedChain, Mixed):
    """The published chains that the official code calls chaotic."""


class PublishedStack(PublishedChain, Stack):
    """The published facts that the official code calls parallel."""
