"""A paper's tables from a file of results: on a terminal, for a document, or as records."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import orjson

from queries.catalog import QueryError, install
from runner.errors import UsageError
from runner.papers.published import PAPERS, PaperTable
from runner.papers.shown import grids, records
from runner.papers.tables import Value, split_of, values_of
from runner.report.answers import Answers, Narrow
from runner.terminal.console import console
from runner.terminal.grid import Grid, Printer
from runner.terminal.markup import latex_lines, markdown_lines
from state.sharing.reading import Reader, open_for_reading
from state.store import StoreError


def show(name: str, tables: Sequence[PaperTable], db: Path, fmt: str) -> int:
    """Print the tables in that format; 0."""
    form = FORMATS.get(fmt)
    if form is None:
        raise UsageError(f"--format {fmt!r} is not one of {', '.join(FORMATS)}")
    try:
        with open_for_reading(db, install_views=install) as reader:
            if reader.notice:
                sys.stderr.write(f"runner: {reader.notice}\n")
            _refuse_nothing(name, reader, db)
            found = [(table, _values(name, table, reader)) for table in tables]
    except (StoreError, QueryError) as error:
        raise UsageError(str(error)) from error
    form(name, found)
    return 0


def draw(name: str, number: int, db: Path) -> int:
    """Draw a figure of the paper at the width of its column, into a folder of its own; 0."""
    wanted = PAPERS[name].figures.get(number)
    if wanted is None:
        there = ", ".join(map(str, PAPERS[name].figures))
        raise UsageError(f"--figure {number}: of {name} there are figures {there}")
    from runner.report.figures import pictures  # noqa: PLC0415  altair: slow to import
    from runner.report.files import write_for_paper  # noqa: PLC0415  as above

    folder = Path(f"{name}-figure-{number}")
    try:
        with open_for_reading(db, install_views=install) as reader:
            _refuse_nothing(name, reader, db)
            narrow = Narrow(task=f"{PAPERS[name].family}.*")
            answers = Answers(reader.connection, narrow)
            own = [each for each in pictures(answers) if each.figure.name == wanted]
            if not own:
                raise UsageError(f"{db}: holds nothing that figure {number} of {name} shows")
            drawn = list(write_for_paper(own, folder))
    except (StoreError, QueryError) as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from error
    console().print(f"{len(drawn)} files in {folder}", markup=False, soft_wrap=True)
    return 0


def _values(name: str, table: PaperTable, reader: Reader) -> Sequence[Value]:
    answers = Answers(reader.connection, split=split_of(name, table))
    return values_of(name, PAPERS[name], table, answers)


def _refuse_nothing(name: str, reader: Reader, db: Path) -> None:
    """Raise UsageError where no task of the paper was swept."""
    found = reader.connection.execute("select distinct task from cells order by task").fetchall()
    tasks = [str(task) for (task,) in found]
    if not any(task.startswith(f"{PAPERS[name].family}.") for task in tasks):
        held = ", ".join(tasks) or "no trials yet"
        raise UsageError(
            f"{db}: nothing of {name} was swept into it (it holds {held}); its grid is written by"
            f" `runner reproduce {name} --model MODEL`"
        )


Found = Sequence[tuple[PaperTable, Sequence[Value]]]


def _grids(name: str, found: Found) -> Iterator[Grid]:
    for table, values in found:
        yield from grids(name, PAPERS[name], table, values)


def _records(name: str, found: Found) -> list[Mapping[str, object]]:
    return [record for table, values in found for record in records(name, table, values)]


def _terminal(name: str, found: Found) -> None:
    printer = Printer(console())
    for grid in _grids(name, found):
        printer.grid(replace(grid, note=""))
        if grid.note:  # it is longer than the last piece of a narrow table is wide
            printer.say(f"{grid.note}\n")


def _markup(lines: Callable[[Grid], Iterator[str]]) -> "Form":
    def write(name: str, found: Found) -> None:
        for grid in _grids(name, found):
            sys.stdout.writelines(f"{line}\n" for line in lines(grid))
            sys.stdout.write("\n")

    return write


def _csv(name: str, found: Found) -> None:
    rows = _records(name, found)
    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _json(name: str, found: Found) -> None:
    text = orjson.dumps(_records(name, found), option=orjson.OPT_INDENT_2).decode()
    sys.stdout.write(f"{text}\n")


Form = Callable[[str, Found], None]
FORMATS: Mapping[str, Form] = {
    "table": _terminal,
    "markdown": _markup(markdown_lines),
    "latex": _markup(latex_lines),
    "csv": _csv,
    "json": _json,
}
