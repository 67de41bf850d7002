"""Opens a database; what cannot be opened is kept aside, and rebuilt from what can be read.

A torn main file is copied range by range into a new one; the journal then adds what it still has.
An unreadable WAL costs nothing: the journal holds everything since the last checkpoint.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from state.database.damage import is_damage, is_foreign, not_opened
from state.database.load import sql
from state.database.opening import InstallViews, connect, create, prepare, store_id
from state.database.recovery import recover
from state.journal.journal import segments
from state.literals import literal
from state.stamps import utc_name
from state.tables import TABLES

_RANGE_ROWS = 122_880
"""A row group of DuckDB."""
_SMALLEST_RANGE = 2_048
"""A vector of DuckDB; damage inside one gives up the whole of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A usable database."""

    connection: duckdb.DuckDBPyConnection
    last_seq: int
    notices: list[str]


def open_or_repair(path: Path, install_views: InstallViews) -> Opened:
    """Open for writing with everything that is durable in it. Raises StoreError if it cannot be."""
    if not path.exists() or not path.stat().st_size:
        create(path, install_views)
    try:
        return _open(path, install_views)
    except duckdb.Error as error:
        return _repair(path, install_views, error)


def _open(path: Path, install_views: InstallViews) -> Opened:
    connection = connect(path)
    try:
        prepare(connection, path, install_views)
        last_seq, notices = recover(connection, path, store_id(connection))
    except BaseException:
        connection.close()
        raise
    return Opened(connection=connection, last_seq=last_seq, notices=notices)


def _repair(path: Path, install_views: InstallViews, error: duckdb.Error) -> Opened:
    if not is_damage(error) or is_foreign(path, error):
        raise not_opened(path, error) from error
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists() and "wal file" in str(error).lower():
        kept = _keep(wal)
        opened = open_or_repair(path, install_views)
        return _noting(opened, f"an unreadable write-ahead log is kept in {kept.name}")
    return _rebuild(path, install_views)


def _rebuild(path: Path, install_views: InstallViews) -> Opened:
    damaged = _keep(path)
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists():
        wal.rename(damaged.with_name(f"{damaged.name}.wal"))
    known = [segment.store_id for segment in segments(path)]
    create(path, install_views, known_id=next(filter(None, known), None))
    connection = connect(path)
    rows = _salvage(connection, damaged)
    last_seq, notices = recover(connection, path, store_id(connection), salvaged=True)
    connection.execute(sql("reconcile"))
    opened = Opened(connection=connection, last_seq=last_seq, notices=notices)
    return _noting(
        opened,
        f"{path.name} was damaged and is kept as {damaged.name}; {rows} rows were read from it",
    )


def _salvage(connection: duckdb.DuckDBPyConnection, damaged: Path) -> int:
    try:
        connection.execute(f"ATTACH {literal(damaged)} AS damaged (READ_ONLY)")
    except duckdb.Error:
        return 0
    rows = sum(_salvage_table(connection, table.name) for table in TABLES.values())
    connection.execute("DETACH damaged")
    return rows


def _salvage_table(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    try:
        found = connection.execute(f"SELECT coalesce(max(rowid) + 1, 0) FROM damaged.{table}")
        rows = int(found.fetchall()[0][0])
    except duckdb.Error:
        return 0
    return sum(
        _salvage_range(connection, table, first, first + _RANGE_ROWS)
        for first in range(0, rows, _RANGE_ROWS)
    )


def _salvage_range(connection: duckdb.DuckDBPyConnection, table: str, first: int, end: int) -> int:
    try:
        copied = connection.execute(
            f"INSERT INTO {table} BY NAME SELECT * FROM damaged.{table}"
            " WHERE rowid >= ? AND rowid < ?",
            [first, end],
        )
        return int(copied.fetchall()[0][0])
    except duckdb.Error:
        if end - first <= _SMALLEST_RANGE:
            return 0
    middle = (first + end) // 2
    return _salvage_range(connection, table, first, middle) + _salvage_range(
        connection, table, middle, end
    )


def _keep(path: Path) -> Path:
    kept = path.with_name(f"{path.name}.damaged-{utc_name()}")
    path.rename(kept)
    return kept


def _noting(opened: Opened, notice: str) -> Opened:
    return Opened(
        connection=opened.connection,
        last_seq=opened.last_seq,
        notices=[notice, *opened.notices],
    )
