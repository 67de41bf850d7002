"""What pictures need beside the rows of a query: the panel each stands in, and ends to draw."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

from queries.split import plain_task
from runner.report.answers import Answers, Row
from runner.report.charts.contours import fills
from runner.report.charts.matrices import crowded
from runner.report.charts.style import PALETTE, unit_of
from runner.report.intervals import read_at, with_intervals
from tasks.catalog import TASKS

LINE_CHARS = 24
"""Of a name above a panel; longer ones are broken at a hyphen or a blank."""

Prepare = Callable[[Answers, Sequence[Row]], Sequence[Row]]


def grouped(rows: Sequence[Row], key: Callable[[Row], str]) -> Sequence[tuple[str, Sequence[Row]]]:
    """Rows with the same key together, in the keys' order."""
    return [
        (name, [row for row in rows if key(row) == name]) for name in sorted(set(map(key, rows)))
    ]


def panels(*columns: str) -> Prepare:
    """Adds `panel`, the named columns in one line."""

    def add(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
        return [
            {
                **row,
                "panel": _in_lines([row[name] for name in columns if row[name] is not None]),
                "panel_rank": [_rank(row, name) for name in columns if row[name] is not None],
            }
            for row in rows
        ]

    return add


def _rank(row: Row, column: str) -> tuple[int, str]:
    """Where a value stands among its kind: as published, and what was not by its name."""
    if column == "task":
        return _task_rank(row["task"]), row["task"]
    known = TASKS.get(plain_task(row.get("task", "")))
    axes = () if known is None else known.axes
    published = [value for axis in axes if axis.name == column for value in axis.published]
    value = row[column]
    return published.index(value) if value in published else len(published), str(value)


def _task_rank(task: str) -> int:
    names = list(TASKS)
    name = plain_task(task)
    return names.index(name) if name in names else len(names)


def _in_lines(parts: Sequence[str]) -> str:
    """The first of three or two in lines of its own, where a model's name may be long."""
    first = wrap(parts[0], LINE_CHARS, break_long_words=False)
    return "\n".join([*first, " · ".join(parts[1:])]).rstrip()


def with_unit(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """A panel per task, that says what its sizes are counted in."""
    return [
        {
            **row,
            "panel": f"{task_lines(row)}{unit_of([row])}",
            "panel_rank": [_rank(row, "task")],
        }
        for row in rows
    ]


def task_lines(row: Row) -> str:
    """The benchmark above its task and its condition, so that panels may be narrow."""
    name, _, condition = str(row["task"]).partition(" (")
    return "\n".join(filter(None, (*name.split("."), condition.removesuffix(")"))))


def by_task(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """Split the rows into one panel per task."""
    return [{**row, "panel": task_lines(row), "panel_rank": [_rank(row, "task")]} for row in rows]


def with_price(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows whose cost is known; of many tasks, a benchmark's have one colour."""
    few = len({plain_task(row["task"]) for row in rows}) <= len(PALETTE)
    return [
        {**row, "part": plain_task(row["task"]) if few else row["task"].partition(".")[0]}
        for row in rows
        if row["cost_usd"] is not None
    ]


def stacked(part: str, beside: str) -> Prepare:
    """Adds `panel` for `Shares`: of a model, or of a part where models are many."""

    def add(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
        named: list[Row] = []
        for _, own in grouped(rows, lambda row: row["task"]):
            if crowded(own):
                named += panels(part, beside)(answers, _with_zeros(own, part))
            else:
                named += panels("who", beside)(answers, own)
        return named

    return add


def _with_zeros(rows: Sequence[Row], part: str) -> Sequence[Row]:
    """A part that no reply of a bar belongs to is none of it, and not unknown."""
    bars: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    parts = sorted({row[part] for row in rows})
    for row in rows:
        key = tuple(row.get(name) for name in ("who", "size", "k", "asked", "question"))
        bars[key][row[part]] = row
    return [
        bar.get(name, {**next(iter(bar.values())), part: name, "share": 0.0, "n": 0})
        for bar in bars.values()
        for name in parts
    ]


_NAMED = ("provider", "model", "setup", "simulated", "who", "task", "axis")


def with_frontier(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """Filled areas, and the line; a length never exceeded stands where measuring ended."""
    filled = fills(rows)
    drawn = {(row["task"], row["who"]) for row in filled}
    counted: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        counted[row["task"], row["who"], row["x"]] += row["n_answered"]
    line = [
        {
            **row,
            "shown_chars": _shown(row),
            "n_answered": counted[row["task"], row["who"], row["x"]],
        }
        for row in answers.rows("frontier")
        if (row["task"], row["who"]) in drawn
    ]
    tasks = {task for task, _ in drawn}
    bare = [  # a model with too few answers for an area keeps its panel, empty
        {name: row[name] for name in _NAMED}
        for row in rows
        if row["task"] in tasks and (row["task"], row["who"]) not in drawn
    ]
    return [*filled, *line, *bare]


def bounds(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows with intervals; dots and whiskers end where measuring ended, not at the limit."""
    return [
        {
            **row,
            "panel": f"{row['task']}, {read_at(row)}".rstrip(", "),
            "shown_chars": _shown(row),
            "censored": _censored(row),
            "shown_low": _at_most(row["effective_low"], row["measured_chars"]),
            "shown_high": _at_most(row["effective_high"], row["measured_chars"]),
        }
        for row in with_intervals(answers, rows)
    ]


def _shown(row: Row) -> float:
    """Where a length stands: one that was not reached at the end of what was measured."""
    if row["effective_chars"] is not None:
        return row["effective_chars"]
    return row["bound_low"] or row["bound_high"]


def _censored(row: Row) -> str:
    """The mark before a length that is only a bound."""
    if row["effective_chars"] is not None:
        return ""
    return "≥" if row["bound_low"] else "<"


def _at_most(chars: float | None, measured: float) -> float | None:
    return None if chars is None else min(chars, measured)


def pairs(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """A panel per task, and both names of a pair in one."""
    return [
        {**row, "panel": task_lines(row), "pair": f"{row['who_a']}\n− {row['who_b']}"}  # noqa: RUF001
        for row in rows
    ]
