"""Numbered schema files, each applied once, together with the record that it was."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import duckdb

from state import schema
from state.stamps import utc_us
from state.store import StoreError
from state.tables import BY_NAME, OTHER_TABLES

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_DISGUISED = (
    "SELECT count(*) FROM duckdb_views() WHERE NOT internal AND NOT temporary"
    " AND list_contains($1, view_name)"
)
_APPLIED_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    sql: str


def migrations() -> tuple[Migration, ...]:
    """All steps, in order."""
    return tuple(sorted(_read(), key=lambda step: step.version))


def _read() -> Iterator[Migration]:
    for entry in files(schema).iterdir():
        match = _FILE.fullmatch(entry.name)
        if match is not None:
            yield Migration(version=int(match[1]), name=match[2], sql=entry.read_text("utf-8"))


LATEST = max(step.version for step in _read())
"""The schema that this program writes."""


def schema_version(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The newest step in the file; None when the file is not one of ours."""
    known = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE NOT internal"
        " AND database_name = current_database() AND table_name IN ('migrations', 'trials')"
    ).fetchall()
    if known[0][0] != 2:
        return None
    if connection.execute(_DISGUISED, [[*BY_NAME, *OTHER_TABLES]]).fetchall()[0][0]:
        return None  # to read such a "table" would run whatever somebody wrote
    return connection.execute("SELECT max(version) FROM migrations").fetchall()[0][0]


def check_version(connection: duckdb.DuckDBPyConnection, name: str) -> int:
    """The file's schema version. Raises StoreError if the file is not ours, or newer than us."""
    version = schema_version(connection)
    if version is None:
        raise StoreError(f"{name}: a DuckDB file, but not one that runner wrote")
    if version > LATEST:
        raise StoreError(
            f"{name}: written by a newer runner (schema {version}, this one knows {LATEST});"
            " upgrade runner to read it"
        )
    return version


def migrate(connection: duckdb.DuckDBPyConnection, since: int = 0) -> None:
    """Apply every step above `since`, each in one transaction with its record."""
    for step in migrations():
        if step.version > since:
            _apply(connection, step)


def _apply(connection: duckdb.DuckDBPyConnection, step: Migration) -> None:
    connection.execute("BEGIN")
    try:
        connection.execute(_APPLIED_TABLE)
        connection.execute(step.sql)
        connection.execute(
            "INSERT INTO migrations VALUES (?, ?, make_timestamp(?))",
            [step.version, step.name, utc_us()],
        )
    except duckdb.Error:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
