"""Spacings of context lengths and depths: the published ones, with any ends and number of steps."""

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

from tasks.sample import Axis, TaskError

Spacing = Literal["linear", "sigmoid"]
SPACINGS: tuple[str, ...] = get_args(Spacing)
_KEYS = ("min", "max", "n", "spacing")
_MOST = 10_000


def linear(low: float, high: float, n: int) -> tuple[int, ...]:
    """`n` evenly spaced values from low to high, rounded half to even as numpy does."""
    return tuple(round(value) for value in _evenly(low, high, n))


def sigmoid_depths(n: int) -> tuple[float, ...]:
    """`n` depths in percent, dense near both ends; 0 and 100 stay what they are."""
    return tuple(_sigmoid(depth) for depth in _evenly(0, 100, n))


def _evenly(low: float, high: float, n: int) -> tuple[float, ...]:
    if n == 1:
        return (low,)
    step = (high - low) / (n - 1)
    return (*(index * step + low for index in range(n - 1)), high)


def _sigmoid(depth: float) -> float:
    if depth in (0, 100):
        return float(depth)
    return round(100 / (1 + math.exp(-0.1 * (depth - 50))), 3)


def ladder(table: Mapping[str, Any], axis: Axis) -> tuple[float, ...]:
    """The values that `{ min, max, n, spacing }` names. Raises TaskError naming the key."""
    for key in table:
        if key not in _KEYS:
            raise TaskError(f"no key {key!r} in a ladder; there are {', '.join(_KEYS)}")
    low, high = _end(table, "min", axis.minimum), _end(table, "max", axis.maximum)
    if low > high:
        raise TaskError(f"min = {low:g} is more than max = {high:g}")
    n, spacing = _steps(table)
    values = _spaced(low, high, n, spacing)
    whole = tuple(round(value) for value in values)
    if axis.integer or (spacing == "linear" and len(set(whole)) == n):
        values = whole
    if len(set(values)) < n:
        raise TaskError(f"n = {n}: there are fewer values between {low:g} and {high:g}")
    return values


def _steps(table: Mapping[str, Any]) -> tuple[int, Spacing]:
    n, spacing = table.get("n"), table.get("spacing", "linear")
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
        raise TaskError(f"n = {n!r} must be a whole number from 1 to {_MOST:,}")
    if spacing not in SPACINGS:
        raise TaskError(f"spacing = {spacing!r} is not one of {', '.join(SPACINGS)}")
    return n, spacing


def _spaced(low: float, high: float, n: int, spacing: Spacing) -> tuple[float, ...]:
    if spacing == "linear":
        return _evenly(low, high, n)
    return tuple(round(low + (high - low) * depth / 100, 3) for depth in sigmoid_depths(n))


def _end(table: Mapping[str, Any], key: str, default: float | None) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TaskError(f"{key} is missing" if value is None else f"{key} = {value!r}: no number")
    return value
