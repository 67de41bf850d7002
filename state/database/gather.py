"""Keeps what the views know about each trial, so that they join only what came after it.

The view that says what is kept is the database's own `stg_gathered`; where there is none, nothing
is kept, and where something cannot be kept, nothing is lost but time.
"""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files

import duckdb

from state import sql

FEWEST = 100_000
"""Attempts and scores that any view adds up in no time."""
SHARE = 0.05
"""Of what is kept already: so each row is read some twenty times at most, however long a sweep is.
What is not kept yet stays small beside the memory that DuckDB may take: with twice as much of it, a
million trials could not be listed in that."""
_HAS_VIEW = (
    "SELECT count(*) FROM duckdb_views()"
    " WHERE view_name = 'stg_gathered' AND database_name IN (current_database(), 'temp')"
)
_ROWS = """
SELECT
    (SELECT coalesce(max(rowid) + 1, 0) FROM attempts)
    + (SELECT coalesce(max(rowid) + 1, 0) FROM scores),
    (SELECT coalesce(max(attempts_seen + scores_seen), 0) FROM gathered_trials)
"""
_KEEP = (
    "DELETE FROM gathered_trials WHERE trial_key IN (SELECT trial_key FROM changed_trials)",
    "INSERT INTO gathered_trials BY NAME FROM changed_trials",
    "DROP TABLE changed_trials",
)


def is_due(rows: int, seen: int, fewest: int = FEWEST) -> bool:
    """Whether so many attempts and scores are worth being kept, of which so many are."""
    return rows - seen >= max(fewest, seen * SHARE)


def is_behind(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether questions take longer than they would after `gather`."""
    return is_due(*connection.execute(_ROWS).fetchall()[0])


def gather(connection: duckdb.DuckDBPyConnection) -> bool:
    """Keep everything up to now, if that is possible."""
    try:
        if not connection.execute(_HAS_VIEW).fetchall()[0][0]:
            return False
        with _transaction(connection):
            connection.execute(files(sql).joinpath("changed_trials.sql").read_text("utf-8"))
            for statement in _KEEP:
                connection.execute(statement)
    except duckdb.Error:
        return False  # no memory or no room for it: the facts are all there
    return True


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Generator[None]:
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except duckdb.Error:
        connection.execute("ROLLBACK")
        raise


def gather_at_rest(connection: duckdb.DuckDBPyConnection) -> None:
    """Gather what is worth it in a file that nobody writes to any more."""
    if not is_behind(connection):
        return
    # One thread needs the least memory, where all of a large file is to be gathered at once.
    connection.execute("SET threads = 1")
    if gather(connection):
        connection.execute("CHECKPOINT")


class Gathering:
    """Gathers now and then while rows are loaded on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, fewest: int = FEWEST) -> None:
        self._connection = connection
        self._fewest = fewest
        self._rows, self._seen = connection.execute(_ROWS).fetchall()[0]

    def added(self, rows: int) -> None:
        """So many attempts and scores were loaded."""
        self._rows += rows
        if is_due(self._rows, self._seen, self._fewest):
            gather(self._connection)
            self._seen = self._rows  # even where it failed: not to try again with each batch
