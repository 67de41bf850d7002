"""Expands axis values to points, and says in one line what is wrong with a value."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tasks.sample import Axis, Scalar, Task, TaskError


def check_value(task: str, axis: Axis, value: Scalar) -> Scalar:
    """The value as the axis takes it. Raises TaskError naming the axis and what is allowed."""
    if axis.choices is not None:
        if not any(value == choice and type(value) is type(choice) for choice in axis.choices):
            allowed = ", ".join(map(repr, axis.choices))
            raise TaskError(f"{task}: {axis.name} = {value!r} is not one of {allowed}")
        return value
    if isinstance(axis.published[0], str):
        if not isinstance(value, str):
            raise TaskError(f"{task}: {axis.name} = {value!r} must be a string")
        return value
    return _check_number(task, axis, value)


def _check_number(task: str, axis: Axis, value: Scalar) -> Scalar:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TaskError(f"{task}: {axis.name} = {value!r} must be a number ({axis.unit})")
    if axis.integer and value != int(value):
        raise TaskError(f"{task}: {axis.name} = {value!r} must be whole ({axis.unit})")
    low, high = axis.minimum, axis.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"{low if low is not None else ''}..{high if high is not None else ''}"
        raise TaskError(f"{task}: {axis.name} = {value!r} is outside {bounds} {axis.unit}".rstrip())
    return int(value) if value == int(value) else float(value)


def expand(
    task: str, axes: Sequence[Axis], given: Mapping[str, Sequence[Scalar]]
) -> Iterator[dict[str, Scalar]]:
    """The cross product, in axis order. Raises TaskError for an unknown axis or value."""
    names = [axis.name for axis in axes]
    for key in given:
        if key not in names:
            raise TaskError(f"{task}: no axis {key!r}; it has {', '.join(names)}")
    values = [
        [check_value(task, axis, value) for value in given.get(axis.name, axis.published)]
        for axis in axes
    ]
    for combination in itertools.product(*values):
        yield dict(zip(names, combination, strict=True))


def skipped(task: Task, given: Mapping[str, Sequence[Scalar]]) -> Counter[str]:
    """Reasons why points of this grid can have no prompt, with how many each accounts for."""
    reasons = (task.infeasible(axes) for axes in expand(task.name, task.axes, given))
    return Counter(reason for reason in reasons if reason is not None)


def curve_axis(axes: Sequence[Axis]) -> str:
    """The axis at each of whose values an effective length is read off; empty where none is."""
    return next((axis.name for axis in axes if axis.has_curves), "")
