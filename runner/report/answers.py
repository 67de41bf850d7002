"""The rows behind tables and pictures, read once and at one moment, narrowed to what was asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import duckdb

from queries.catalog import Query, shipped, views
from queries.split import Split, plain_task, split_views, unsplit
from queries.together import rows_together
from runner.terminal.literal import visible

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrow:
    """Which models and tasks a report is about; globs, None for all."""

    model: str | None = None
    task: str | None = None

    def keeps(self, row: Row) -> bool:
        """Whether the row is about a model and a task that were asked for."""
        return self._keeps_model(row) and self._keeps_task(row)

    def _keeps_model(self, row: Row) -> bool:
        if self.model is None or "model" not in row:
            return True
        names = (row["model"], f"{row['provider']}/{row['model']}", row["who"])
        return any(name == self.model or fnmatchcase(name, self.model) for name in names)

    def _keeps_task(self, row: Row) -> bool:
        if self.task is None:
            return True
        if "benchmark" in row:  # of all its tasks together
            return fnmatchcase(row["benchmark"], self.task.partition(".")[0])
        return "task" not in row or fnmatchcase(plain_task(row["task"]), self.task)


class Answers:
    """The answers of one file, each query run at most once."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        narrow: Narrow | None = None,
        own_views: Sequence[Query] | None = None,
        split: Split | None = None,
    ) -> None:
        """Answers over the shipped views, or over others in their place.

        Raises QueryError for an axis or a condition that the file knows nothing of.
        """
        self.split = split or Split()
        self.connection = connection
        self._narrow = narrow or Narrow()
        self._read: dict[str, Sequence[Row]] = {}
        self._queries: Mapping[str, Query] = {query.name: query for query in shipped("figures")}
        whole = views() if own_views is None else own_views
        self._views = split_views(connection, whole, self.split)
        self._shared_names, self._also_simulated = _ambiguous(connection)

    @property
    def condition(self) -> str:
        """What a title says of the condition that holds for all that is shown."""
        return f", where {self.split.where}" if self.split.where else ""

    @property
    def names(self) -> Iterable[str]:
        """The names of all queries that can be asked."""
        return self._queries.keys()

    def query(self, name: str) -> Query:
        """The query as it is shipped."""
        return self._queries[name]

    def read(self, names: Iterable[str]) -> None:
        """Read what several queries say, all at the same moment."""
        wanted = [self._queries[name] for name in sorted(set(names) - self._read.keys())]
        if not wanted:
            return
        sql = rows_together(wanted, self._views)
        (found,) = self.connection.execute(sql).fetchall()
        for query, rows in zip(wanted, found, strict=True):
            named = [self._named(row, query) for row in rows]
            self._read[query.name] = [_literal(row) for row in named if self._narrow.keeps(row)]

    def rows(self, name: str) -> Sequence[Row]:
        """The rows of one query that were asked for, with `who` naming the model in full."""
        self.read([name])
        return self._read[name]

    def _named(self, row: dict[str, Any], query: Query) -> Row:
        if "task" in row:
            row["task"] = unsplit(row["task"], query.shows)
        for end in ("", "_a", "_b"):
            if f"model{end}" in row:
                row[f"who{end}"] = self._who(row, end)
        return row

    def _who(self, row: Row, end: str) -> str:
        model: str = row[f"model{end}"]
        name = f"{row[f'provider{end}']}/{model}" if model in self._shared_names else model
        if row.get("simulated") and model in self._also_simulated:
            name = f"{name} (simulated)"
        setup = row.get(f"setup{end}")
        return f"{name} [{setup}]" if setup else name


def _ambiguous(connection: duckdb.DuckDBPyConnection) -> tuple[frozenset[str], frozenset[str]]:
    """Models that several providers serve, and those that were real here and simulated there."""
    found = connection.execute(
        "select model, count(distinct provider) > 1, count(distinct simulated) > 1"
        " from cells group by model"
    ).fetchall()
    shared = frozenset(model for model, several, _ in found if several)
    return shared, frozenset(model for model, _, both in found if both)


def _literal(row: Row) -> Row:
    """The row with nothing in its words that drives a terminal or breaks a document."""
    return {
        name: visible(value) if isinstance(value, str) else value for name, value in row.items()
    }


def fetch(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    """The rows of a query as mappings."""
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def simulated(rows: Sequence[Row]) -> bool:
    """Whether any row was measured at a simulator instead of a model."""
    return any(row.get("simulated") for row in rows)
