"""Published spacings of context lengths and depths."""

import math


def linear(low: float, high: float, n: int) -> tuple[int, ...]:
    """`n` evenly spaced values from low to high, rounded half to even as numpy does."""
    step = (high - low) / (n - 1)
    return (*(round(index * step + low) for index in range(n - 1)), round(high))


def sigmoid_depths(n: int) -> tuple[float, ...]:
    """`n` depths in percent, dense near both ends; 0 and 100 stay what they are."""
    return (0.0, *(_sigmoid(100 * index / (n - 1)) for index in range(1, n - 1)), 100.0)


def _sigmoid(depth: float) -> float:
    return round(100 / (1 + math.exp(-0.1 * (depth - 50))), 3)
