"""Runs the checks: each names something that must not be in a sound file."""

from dataclasses import dataclass

import duckdb

from queries.catalog import shipped
from queries.together import counts_together


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A check that found rows."""

    name: str
    about: str
    rows: int


def checks(connection: duckdb.DuckDBPyConnection) -> list[Failure]:
    """The checks that found rows, all at one moment."""
    queries = shipped("checks")
    (counts,) = connection.execute(counts_together(queries)).fetchall()
    return [
        Failure(name=query.name, about=query.grain, rows=rows)
        for query, rows in zip(queries, counts, strict=True)
        if rows
    ]
