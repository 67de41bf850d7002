"""A paper's table as grids of words, with the published rows beside ours, and as plain records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.papers.published import Paper, PaperTable
from runner.papers.tables import SHAPES, Shape, Value, columns_of
from runner.report.tables import SIMULATED
from runner.terminal import words
from runner.terminal.grid import Bold, Grid

_KNOWN = "published: {}; a published number that is blank is not known to this program"
_UNKNOWN = "published: none of this table's numbers is known to this program"


def grids(name: str, paper: Paper, table: PaperTable, values: Sequence[Value]) -> Iterator[Grid]:
    """One grid for each part of the table."""
    shape = SHAPES[name, table.number]
    blocks = list(dict.fromkeys(value.block for value in values)) or [""]
    for block in blocks:
        own = [value for value in values if value.block == block]
        columns = columns_of(shape, own)
        lines = {who: _line(own, who) for who in dict.fromkeys(_row_of(value) for value in own)}
        title = f"{paper.title}, table {table.number}: {table.title}"
        yield Grid(
            title=", ".join(filter(None, (title, block))),
            header=["model", *map(shape.label, columns), "n"],
            rows=[
                [who, *_words(shape, lines, who, columns), _counted(line)]
                for who, line in _in_order(lines)
            ],
            note=_note(values) if block == blocks[-1] else "",
        )


def records(name: str, table: PaperTable, values: Sequence[Value]) -> list[Mapping[str, Any]]:
    """Each number as a record, numbers as numbers."""
    return [
        {
            "paper": name,
            "table": table.number,
            "part": value.block,
            "model": value.who,
            "column": value.column,
            "value": value.value,
            "said": value.said,
            "ci_low": value.low,
            "ci_high": value.high,
            "n": value.n,
            "published": bool(value.source),
            "source": value.source,
            "simulated": value.simulated,
        }
        for value in values
    ]


Line = Mapping[str, Value]


def _row_of(value: Value) -> str:
    return f"published: {value.who}" if value.source else value.who


def _line(values: Sequence[Value], who: str) -> Line:
    return {value.column: value for value in values if _row_of(value) == who}


def _in_order(lines: Mapping[str, Line]) -> Iterator[tuple[str, Line]]:
    """Each of our models, with its published row right below; then the paper's other models."""
    left = dict(lines)
    for who, line in lines.items():
        value = next(iter(line.values()))
        if value.source:
            continue
        yield who, left.pop(who)
        if value.published_as is not None:
            published = f"published: {value.published_as}"
            yield published, left.pop(published, lines.get(published, {}))
    yield from left.items()


def _words(
    shape: Shape, lines: Mapping[str, Line], who: str, columns: Sequence[str]
) -> Iterator[str]:
    line = lines.get(who, {})
    is_ours = any(not value.source for value in line.values())
    for column in columns:
        value = line.get(column)
        if value is None:
            yield words.UNKNOWN if is_ours else ""
        elif shape.best and is_ours and _is_best(value, lines):
            yield Bold(value.said)
        else:
            yield value.said


def _is_best(value: Value, lines: Mapping[str, Line]) -> bool:
    """Whether none of our other models is better; the only one is no best."""
    others = [
        line[value.column].value
        for line in lines.values()
        if value.column in line and not line[value.column].source
    ]
    known = [other for other in others if other is not None]
    return value.value is not None and len(known) > 1 and value.value >= max(known)


def _counted(line: Line) -> str:
    counts = [value.n for value in line.values() if value.n is not None and value.value is not None]
    if not counts:
        return ""
    low, high = (words.count(end) for end in (min(counts), max(counts)))
    return low if low == high else f"{low}-{high}"


def _note(values: Sequence[Value]) -> str:
    sources = dict.fromkeys(value.source for value in values if value.source)
    known = _KNOWN.format("; ".join(sources)) if sources else _UNKNOWN
    made_up = f"{SIMULATED} " if any(value.simulated for value in values) else ""
    return f"{made_up}n: answers behind each of our numbers; {words.UNKNOWN} : not known; {known}"
