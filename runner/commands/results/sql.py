"""`runner sql`: a query over a sweep's file, also while the sweep runs."""

import csv
import datetime
import decimal
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import duckdb
import orjson
from rich.box import SIMPLE
from rich.table import Table

from queries.catalog import QueryError, views
from queries.reading import open_with_views
from runner.errors import UsageError
from runner.terminal.console import LiteralConsole, for_data, put
from runner.terminal.grid import SCREEN_GAP, Grid, literal, record_lines, widths
from runner.terminal.markup import latex_lines, markdown_lines
from runner.terminal.words import stored
from state.database.damage import is_damage
from state.sharing.reading import Reader

_ROWS_AT_ONCE = 256
_JSON_BITS = 63
"""Longer whole numbers are written as text."""
_WIDE = 100_000
"""Width of a table that nobody looks at in a terminal: nothing is cut or folded."""
_LIST = (
    "SELECT DISTINCT table_name, lower(replace(table_type, 'BASE ', ''))"
    " FROM information_schema.tables"
    " WHERE table_schema = 'main' ORDER BY 2 DESC, 1"
)


def run(
    db: Path, query: str | None, fmt: str, out: TextIO | None = None, folder: Path | None = None
) -> int:
    """Answer a query, one from standard input, or list what can be asked for."""
    to = out or sys.stdout
    show = FORMATS.get(fmt)
    if show is None:
        raise UsageError(f"--format {fmt!r} is not one of {', '.join(FORMATS)}")
    if query is None and not sys.stdin.isatty():
        query = sys.stdin.read()
    try:
        with open_with_views(db, folder) as reader:
            if reader.notice:
                put(f"runner: {reader.notice}", sys.stderr)
            _answer(reader, (query or "").strip(), show, to, folder)
    except QueryError as error:
        raise UsageError(str(error)) from error
    except duckdb.Error as error:
        if is_damage(error):
            raise
        raise UsageError(_one_line(error)) from error
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _answer(
    reader: Reader,
    query: str,
    show: "Show",
    out: TextIO,
    folder: Path | None,
) -> None:
    if query:
        show(reader, query, out if show is _show_parquet else for_data(out))
        out.flush()
        return
    grains = {view.name: view.grain for view in views(folder)}
    names = reader.connection.execute(_LIST).fetchall()
    rows = [(name, kind, grains.get(name, "")) for name, kind in names]
    _print_table(("name", "kind", "one row is"), rows, out)


def _one_line(error: duckdb.Error) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    return " ".join(itertools.takewhile(bool, lines))


def _names(result: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    return tuple(column[0] for column in result.description or ())


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(_ROWS_AT_ONCE):
        yield from rows


def _show_table(reader: Reader, query: str, out: TextIO) -> None:
    result = reader.connection.execute(query)
    _print_table(_names(result), _rows(result), out)


def _print_table(names: Iterable[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    seen = out.isatty()
    words = [list(map(stored, row)) for row in rows]
    grid = literal(Grid(title="", header=list(names), rows=words))
    console = LiteralConsole(out, width=None if seen else _WIDE)
    if seen and sum(size + SCREEN_GAP for size in widths(grid)) > console.width:
        for line in record_lines(grid, console.width):
            console.print(line, soft_wrap=True)
        return
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for name in grid.header:
        table.add_column(name, no_wrap=True)
    for row in grid.rows:
        table.add_row(*row)
    console.print(table)


def _show_csv(reader: Reader, query: str, out: TextIO) -> None:
    result = reader.connection.execute(query)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_names(result))
    writer.writerows(_rows(result))


def _show_markup(lines: Callable[[Grid], Iterator[str]]) -> "Show":
    def show(reader: Reader, query: str, out: TextIO) -> None:
        result = reader.connection.execute(query)
        rows = [list(map(stored, row)) for row in _rows(result)]
        grid = Grid(title="", header=_names(result), rows=rows)
        out.writelines(f"{line}\n" for line in lines(grid))

    return show


def _show_jsonl(reader: Reader, query: str, out: TextIO) -> None:
    out.writelines(f"{line}\n" for line in _json_rows(reader.connection.execute(query)))


def _json_rows(result: duckdb.DuckDBPyConnection) -> Iterator[str]:
    names = _names(result)
    nested = [str(column[1]) == "JSON" for column in result.description or ()]
    for row in _rows(result):
        values = [_value(v, is_json) for v, is_json in zip(row, nested, strict=True)]
        yield orjson.dumps(dict(zip(names, values, strict=True)), _plain).decode()


def _show_json(reader: Reader, query: str, out: TextIO) -> None:
    before = "["
    for line in _json_rows(reader.connection.execute(query)):
        out.write(before + line)
        before = ",\n"
    out.write("]\n" if before != "[" else "[]\n")


def _value(value: Any, is_json: bool) -> Any:
    if is_json and isinstance(value, str):
        return orjson.loads(value)
    if isinstance(value, int) and value.bit_length() > _JSON_BITS:
        return str(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return str(value)


def _show_parquet(reader: Reader, query: str, out: TextIO) -> None:
    if out.isatty():
        raise UsageError("--format parquet writes bytes: send them to a file with > FILE.parquet")
    result = reader.connection.sql(query)
    if result is None:  # pyright: ignore[reportUnnecessaryComparison]  so for what is no query
        raise UsageError("--format parquet needs a query that has a result")
    from runner.commands.results import parquet  # noqa: PLC0415  PyArrow is slow to import

    parquet.write(result, out.buffer, reader)


Show = Callable[[Reader, str, TextIO], None]
FORMATS: Mapping[str, Show] = {
    "table": _show_table,
    "csv": _show_csv,
    "json": _show_json,
    "jsonl": _show_jsonl,
    "markdown": _show_markup(markdown_lines),
    "latex": _show_markup(latex_lines),
    "parquet": _show_parquet,
}
