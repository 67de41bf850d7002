"""Works out salaries from told facts alone, whatever their order: the check on imported rows."""

import re
from collections.abc import Iterable

_NAME = r"(\S+)"
_RECEIVED = re.compile(rf"{_NAME} received \$(\d+(?:\.\d+)?) last week\.")
_COMPARED = (
    (re.compile(rf"{_NAME} earns twice as much as {_NAME}\."), 2.0),
    (re.compile(rf"{_NAME} earns half as much as {_NAME}\."), 0.5),
    (re.compile(rf"{_NAME} earns the same salary as {_NAME}\."), 1.0),
)


class UnsolvableError(ValueError):
    """The facts do not fix everyone's salary exactly once; the message says which fact."""


def solve(lines: Iterable[str]) -> dict[str, float]:
    """Everyone's salary by name, in the order told. Raises UnsolvableError."""
    known: dict[str, float] = {}
    compared: dict[str, tuple[str, float]] = {}
    order: dict[str, None] = {}
    for line in lines:
        name = _read(line, known, compared)
        if name in order:
            raise UnsolvableError(f"{name} is told twice")
        order[name] = None
    for name in order:
        _resolve(name, known, compared)
    return {name: known[name] for name in order}


def _read(line: str, known: dict[str, float], compared: dict[str, tuple[str, float]]) -> str:
    """Note a fact; whom it is about. Raises UnsolvableError if it is no fact."""
    if match := _RECEIVED.fullmatch(line):
        known[match[1]] = float(match[2])
        return match[1]
    for pattern, factor in _COMPARED:
        if match := pattern.fullmatch(line):
            compared[match[1]] = (match[2], factor)
            return match[1]
    raise UnsolvableError(f"not a fact: {line[:80]!r}")


def _resolve(name: str, known: dict[str, float], compared: dict[str, tuple[str, float]]) -> None:
    """Follow comparisons to a known salary and fill in everyone on the way back."""
    path: list[str] = []
    while name not in known:
        if name not in compared or len(path) > len(compared):
            raise UnsolvableError(f"nothing fixes the salary of {name}")
        path.append(name)
        name = compared[name][0]
    for below in reversed(path):
        above, factor = compared[below]
        known[below] = known[above] * factor
