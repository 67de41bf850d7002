"""The papers' tables, from the rows of a file: ours by model and column, and the published."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from queries.split import Split, plain_task
from runner.papers.published import Paper, PaperTable
from runner.report.answers import Answers, Row
from runner.report.sections import known_length
from runner.terminal import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One number of a table, ours or the paper's."""

    block: str = ""
    """The part of the table, where it has several."""
    who: str
    column: str
    value: float | None
    said: str
    n: int | None = None
    low: float | None = None
    high: float | None = None
    simulated: bool = False
    published_as: str | None = None
    """What the paper calls our model, where it is one of the paper's."""
    source: str = ""
    """Where a published number was read; '' for ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a table is made of a file."""

    values: Callable[[Answers, Paper], Iterator[Value]]
    by: Sequence[str] = ()
    """Axes that the paper keeps apart."""
    columns: Sequence[str] = ()
    """Where they are words, in the paper's order; numbers are in their own."""
    percent: bool = True
    label: Callable[[str], str] = lambda column: column
    best: bool = False
    """The best of a column is in bold."""


def split_of(name: str, table: PaperTable) -> Split:
    """How the rows behind the table are split."""
    return Split(by=SHAPES[name, table.number].by)


def values_of(name: str, paper: Paper, table: PaperTable, answers: Answers) -> Sequence[Value]:
    """Ours, then what is known of the paper's."""
    shape = SHAPES[name, table.number]
    known = (
        Value(
            block=number.block,
            who=number.model,
            column=number.column,
            value=number.value,
            said=words.percent(number.value) if shape.percent else words.length(number.value),
            source=number.source,
        )
        for number in table.known
    )
    return list(chain(shape.values(answers, paper), known))


def columns_of(shape: Shape, values: Sequence[Value]) -> Sequence[str]:
    """The columns that there are values for, or that the table always has."""
    if shape.columns:
        return shape.columns
    return sorted({value.column for value in values}, key=_number_first)


def _number_first(column: str) -> tuple[float, int]:
    number, _, rest = column.partition(" ")
    return float(number), _WITHIN.index(rest) if rest in _WITHIN else 0


_ORDERS = ("stack", "forward", "backward", "mixed")
_WITHIN = (*_ORDERS, "%", "tokens")
"""The order of columns of one number."""


def _overall(answers: Answers, paper: Paper) -> Iterator[Value]:
    for row in answers.rows("overall"):
        if row["benchmark"] == paper.family:
            share = row["accuracy"] if row["paper_complete"] else None
            yield _ours(row, paper, f"{row['size']:g}", share, words.percent(share))


_LENGTHS = {
    "single_needle": ("depth", "single"),
    "multi_needle": ("needles", "multiple"),
    "conditional_needle": ("needles", "conditional"),
    "threading": ("thread_length", "threading"),
    "multi_threading": ("thread_length", "multi-threading"),
}
"""Where a task's effective length is read, and what the paper calls its column."""


def _effective(answers: Answers, paper: Paper) -> Iterator[Value]:
    for row in answers.rows("effective"):
        family, _, name = plain_task(row["task"]).partition(".")
        axis, column = _LENGTHS.get(name, ("", ""))
        if family == paper.family and axis == row["axis"]:
            yield _ours(row, paper, column, row["effective_chars"], known_length(row))


FLENQA_SIZE = 250
_HOW = {"false": "direct", "true": "CoT"}


def _shortest(answers: Answers, paper: Paper) -> Iterator[Value]:
    for row, part in _accuracy(answers, paper):
        name = plain_task(row["task"]).partition(".")[2]
        column = f"{name}, {_HOW.get(part, part)}"
        if row["size"] == FLENQA_SIZE and column in _FLENQA_COLUMNS:
            yield _rate(row, paper, column)


def _found(answers: Answers, paper: Paper) -> Iterator[Value]:
    for row, _ in _accuracy(answers, paper):
        if plain_task(row["task"]) == "niah.magic_number":
            yield _rate(row, paper, f"{row['size']:g}")


def _chains(answers: Answers, paper: Paper) -> Iterator[Value]:
    for row, order, question in _by_question(answers, paper):
        yield _rate(row, paper, f"{row['size']:g} {order}", f"question: {question}")


def _tokens(answers: Answers, paper: Paper) -> Iterator[Value]:
    written = {
        (row["who"], plain_task(row["task"]), row["question"], row["k"]): row["mean_tokens"]
        for row in answers.rows("chain_length")
    }
    for row, order, question in _by_question(answers, paper):
        k, block = int(row["size"]), f"{order}, question: {question}"
        yield _rate(row, paper, f"{k} %", block)
        mean = written.get((row["who"], plain_task(row["task"]), question, k))
        said = words.UNKNOWN if mean is None else f"{mean:,.0f}"
        yield _ours(row, paper, f"{k} tokens", mean, said, block)


def _by_question(answers: Answers, paper: Paper) -> Sequence[tuple[Row, str, str]]:
    """Rows with their order and question: the single one before the total, in the paper's order."""
    rows = [
        (row, plain_task(row["task"]).partition(".")[2], question)
        for row, question in _accuracy(answers, paper)
    ]
    return sorted(rows, key=lambda found: (found[2], _ORDERS.index(found[1])))


def _accuracy(answers: Answers, paper: Paper) -> Iterator[tuple[Row, str]]:
    """The paper's rows, each with the value of the one axis that they are split by."""
    for row in answers.rows("accuracy"):
        if row["task"].startswith(f"{paper.family}."):
            yield row, row["task"].partition("=")[2].removesuffix(")")


def _rate(row: Row, paper: Paper, column: str, block: str = "") -> Value:
    share, low, high = (row[name] for name in ("accuracy", "ci_low", "ci_high"))
    said = words.percent(share)
    if share is not None:
        said = f"{said} ({100 * low:.0f}-{100 * high:.0f})"
    return _ours(row, paper, column, share, said, block, (low, high))


def _ours(  # noqa: PLR0913, PLR0917  a row's number, and how it is said
    row: Row,
    paper: Paper,
    column: str,
    value: float | None,
    said: str,
    block: str = "",
    interval: tuple[float | None, float | None] = (None, None),
) -> Value:
    return Value(
        block=block,
        who=row["who"],
        column=column,
        value=value,
        said=said,
        n=row["n_answered"],
        low=interval[0],
        high=interval[1],
        simulated=row["simulated"],
        published_as=paper.model(row["model"]),
    )


def _length(column: str) -> str:
    return words.length(float(column))


_FLENQA_COLUMNS = tuple(
    f"{name}, {how}" for how in _HOW.values() for name in ("monorel", "pir", "ruletaker")
)
SHAPES: Mapping[tuple[str, int], Shape] = {
    ("needle-threading", 1): Shape(values=_overall, label=_length, best=True),
    ("needle-threading", 2): Shape(
        values=_effective, columns=[column for _, column in _LENGTHS.values()], percent=False
    ),
    ("flenqa", 1): Shape(values=_shortest, by=("cot",), columns=_FLENQA_COLUMNS),
    ("niah", 1): Shape(values=_found, label=_length),
    ("needlechain", 1): Shape(values=_chains, by=("question",)),
    ("needlechain", 4): Shape(values=_tokens, by=("question",)),
}
