"""Finds the .sql files, and installs them as views in the order they need.

A file holds one `select`; its name is the view's name and its first comment states the grain. Files
of a user's own folder come last: a new name adds a view, a known name replaces ours.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import duckdb

from tasks.plain_files import read_plain_text

NAME = re.compile(r"[a-z][a-z0-9_]*")
GRAIN = "-- grain: "
CHECK = "-- check: "
SHOWS = "-- shows: "


class QueryError(Exception):
    """A query file cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One .sql file."""

    name: str
    layer: str
    """staging, marts, checks, or user."""
    sql: str
    grain: str
    """What one row is; for a check, what is wrong when there are rows."""

    @property
    def shows(self) -> Sequence[str]:
        """The axes that its rows tell apart in columns of their own, as its comment says."""
        _, mark, said = self.sql.partition(f"\n{SHOWS}")
        return said.partition("\n")[0].split(", ") if mark else ()


@cache
def shipped(layer: str) -> tuple[Query, ...]:
    """The queries of one layer that come with the program, by name."""
    folder = files("queries").joinpath("sql", layer)
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    prefix = CHECK if layer == "checks" else GRAIN
    return tuple(
        parse(entry.name.removesuffix(".sql"), layer, entry.read_text("utf-8"), prefix)
        for entry in sorted(found, key=lambda entry: entry.name)
    )


def parse(name: str, layer: str, text: str, prefix: str = GRAIN) -> Query:
    """A query from a file's text. Raises QueryError for a name or first line that is not ours."""
    if NAME.fullmatch(name) is None:
        raise QueryError(f"{name}.sql: a view is named with lower-case letters, digits and _")
    first, _, _ = text.partition("\n")
    if not first.startswith(prefix):
        raise QueryError(f"{name}.sql: the first line must be `{prefix}...`")
    sql = text.strip().removesuffix(";")
    return Query(name=name, layer=layer, sql=sql, grain=first.removeprefix(prefix).strip())


def from_folder(folder: Path) -> tuple[Query, ...]:
    """A user's own queries. Raises QueryError when the folder or a file cannot be read."""
    if not folder.is_dir():
        raise QueryError(f"{folder}: no such folder of .sql files")
    try:
        return tuple(
            parse(path.stem, "user", read_plain_text(path)) for path in sorted(folder.glob("*.sql"))
        )
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{folder}: {error}") from error


def views(
    folder: Path | None = None, threshold: float | None = None, interval: str | None = None
) -> tuple[Query, ...]:
    """Every view, each after those it reads; with a threshold or intervals of the reader's own."""
    own = () if folder is None else from_folder(folder)
    named = {query.name: query for query in (*shipped("staging"), *shipped("marts"), *own)}
    told = [
        *([] if threshold is None else [f"{threshold!r}::double as threshold"]),
        *([] if interval is None else [f"'{_one_word(interval)}' as interval_kind"]),
    ]
    if told:
        sql = f"select * replace ({', '.join(told)}) from (\n{named['settings'].sql}\n)"  # noqa: S608
        named["settings"] = replace(named["settings"], sql=sql)
    return tuple(named[name] for name in _in_order(named))


def _one_word(text: str) -> str:
    """The text, which may stand in SQL. Raises QueryError."""
    if NAME.fullmatch(text) is None:
        raise QueryError(f"interval {text!r}: must be cluster or wilson")
    return text


@cache
def fingerprint() -> str:
    """Tells today's shipped views from those of another build."""
    return sha256("\0".join(f"{view.name}\0{view.sql}" for view in views()).encode()).hexdigest()


def read_by(queries: Sequence[Query], among: Sequence[Query]) -> tuple[Query, ...]:
    """Those of the views that the queries read, themselves or through others, in their order."""
    named = {view.name: view for view in among}
    found: set[str] = set()
    waiting = [query.sql for query in queries]
    while waiting:
        new = _names_in(waiting.pop(), named.keys() - found)
        found.update(new)
        waiting.extend(named[name].sql for name in new)
    return tuple(view for view in among if view.name in found)


def _names_in(sql: str, known: Set[str]) -> Sequence[str]:
    """The views that SQL may read; sorted, since the order of a set is another in each process."""
    return sorted(known & set(NAME.findall(re.sub(r"--.*", "", sql))))


def _in_order(named: Mapping[str, Query]) -> Sequence[str]:
    ours = {query.name for layer in ("staging", "marts") for query in shipped(layer)}
    needs = {
        # Ours never read a user's view: a word in them that is its name means something else.
        name: _names_in(query.sql, (named.keys() if query.layer == "user" else ours) - {name})
        for name, query in sorted(named.items())
    }
    try:
        return tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise QueryError(f"views read each other in a circle: {' -> '.join(error.args[1])}") from (
            error
        )


def install(connection: duckdb.DuckDBPyConnection) -> None:
    """Create or replace the shipped views in the file, and write down which they are."""
    _create(connection, "view", views())
    connection.execute("delete from meta where key = 'views'")
    connection.execute("insert into meta values ('views', ?)", [fingerprint()])


def install_temporary(
    connection: duckdb.DuckDBPyConnection,
    folder: Path | None = None,
    threshold: float | None = None,
    interval: str | None = None,
) -> None:
    """Create all views for this connection alone, which may be one that only reads.

    Raises QueryError naming the file whose SQL does not run.
    """
    _create(connection, "temp view", views(folder, threshold, interval))


def up_to_date(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the views in the file are today's."""
    found = connection.execute("select value from meta where key = 'views'").fetchall()
    return found == [(fingerprint(),)]


def _create(connection: duckdb.DuckDBPyConnection, kind: str, queries: Sequence[Query]) -> None:
    for query in queries:
        try:
            connection.execute(f"create or replace {kind} {query.name} as {query.sql}")
        except duckdb.Error as error:
            first, _, _ = str(error).partition("\n")
            raise QueryError(f"{query.name}.sql: {first}") from error
