"""The samples of one task in a data file: which points it has, and the sample of each repeat."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tasks.byte_cache import ByteCache
from tasks.grid import expand
from tasks.identity import canonical_json, seed_repeat
from tasks.official.datafile import DataFile, Sampled
from tasks.sample import Axis, DoesNotFitError, Scalar, TaskError, Text

_CACHE_BYTES = 32 << 20

Axes = Mapping[str, Scalar]


class Samples:
    """A task's samples. Raises TaskError when the file has none."""

    def __init__(self, path: Path, task: str, axes: Sequence[Axis]) -> None:
        self._path = path
        self._task = task
        self._file = DataFile(path)
        self._points = self._file.axes(task)
        if not self._points:
            raise TaskError(f"data: {path}: no rows of {task}; it has {self._known_tasks()}")
        self._fixed = tuple(self._points[0][0])
        self._axes = axes
        self._counts = {canonical_json(axes): count for axes, count in self._points}
        self._texts = ByteCache[int, Text](_CACHE_BYTES, lambda text: 3 * len(text))
        self.hash = self._file.hash

    def _known_tasks(self) -> str:
        return ", ".join(self._file.tasks())

    def repeats(self, axes: Axes) -> int:
        """How many repeats a point has."""
        return self._counts.get(canonical_json(self._key(axes)), 0)

    def _key(self, axes: Axes) -> dict[str, Scalar]:
        return {name: axes[name] for name in self._fixed}

    def take(self, axes: Axes, seed: int) -> tuple[Sampled, Text]:
        """The sample of a point and seed. Raises DoesNotFitError beyond the last repeat."""
        sampled = self._file.sample(self._task, self._key(axes), seed_repeat(seed))
        if sampled is None:
            have = self.repeats(axes)
            raise DoesNotFitError(f"{self._task}: {self._path} has {have} repeats of this point")
        return sampled, self._text(sampled.text_id)

    def _text(self, text_id: int) -> Text:
        if not text_id:
            return Text("")
        return self._texts.get(text_id, lambda: Text(self._file.text(text_id)))

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[dict[str, Scalar]]:
        """All points of the file that have the given values, in the task's order of axes.

        Raises TaskError for an axis or value that the file does not have.
        """
        wanted = {name: given[name] for name in given if name in self._fixed}
        for name, values in wanted.items():
            self._check(name, values)
        free_axes = [axis for axis in self._axes if axis.name not in self._fixed]
        rest = {name: given[name] for name in given if name not in self._fixed}
        free = list(expand(self._task, free_axes, rest))
        for fixed, _ in self._points:
            if all(fixed[name] in values for name, values in wanted.items()):
                for other in free:
                    yield self._ordered({**fixed, **other})

    def _ordered(self, axes: dict[str, Scalar]) -> dict[str, Scalar]:
        return {axis.name: axes[axis.name] for axis in self._axes}

    def _check(self, name: str, values: Sequence[Scalar]) -> None:
        have = list(dict.fromkeys(axes[name] for axes, _ in self._points))
        for value in values:
            if value not in have:
                known = ", ".join(map(repr, have))
                raise TaskError(
                    f"{self._task}: {name} = {value!r} is not in {self._path}; it has {known}"
                )
