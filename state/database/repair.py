"""Opens a database; what cannot be read is rebuilt beside it from what can, and takes its name.

A torn main file is copied range by range into a new one; the journal adds what it still has. The
new file is checked and whole before it gets the name, in one step, so a kill leaves either the old
one or the new one. An unreadable WAL costs nothing: the journal holds everything since the last
checkpoint.
"""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from state.database import spill
from state.database.damage import is_damage, is_foreign, not_opened
from state.database.load import sql
from state.database.memory import Texts
from state.database.opening import (
    InstallViews,
    connect,
    create,
    fresh_file,
    initialise,
    prepare,
    remove_unfinished,
    store_id,
)
from state.database.recovery import load_journal, recover
from state.journal.journal import segments, sync_folder
from state.literals import literal
from state.side_files import free_name
from state.store import StoreError
from state.tables import TABLES

_RANGE_ROWS = 122_880
"""A row group of DuckDB."""
_SMALLEST_RANGE = 2_048
"""A vector of DuckDB; damage inside one gives up the whole of it."""
_OWN_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary"
    " AND database_name = current_database() AND schema_name = 'main' ORDER BY table_name"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A usable database."""

    connection: duckdb.DuckDBPyConnection
    texts: Texts
    last_seq: int
    notices: list[str]


class _UnreadableError(Exception):
    """The file opens, and does not hold what it says it does."""


def open_or_repair(path: Path, install_views: InstallViews, *, thorough: bool = False) -> Opened:
    """Open for writing with everything that is durable in it. Raises StoreError if it cannot be.

    A thorough opening reads every value, so that no damage comes up later.
    """
    remove_unfinished(path)
    if not path.exists() or not path.stat().st_size:
        create(path, install_views)
    try:
        return _open(path, install_views, thorough=thorough)
    except duckdb.Error as error:
        return _repair(path, install_views, error)
    except _UnreadableError:
        return _rebuild(path, install_views)


def _open(path: Path, install_views: InstallViews, *, thorough: bool = False) -> Opened:
    connection = connect(path, spill=spill.writers_folder(path))
    try:
        prepare(connection, path, install_views)
        texts = Texts(connection)
        texts.fit()
        if thorough:
            _read_everything(connection)
        last_seq, notices = recover(connection, path, store_id(connection), texts)
    except BaseException:
        connection.close()
        raise
    return Opened(connection=connection, texts=texts, last_seq=last_seq, notices=notices)


def _read_everything(connection: duckdb.DuckDBPyConnection) -> None:
    """Raises what tells of damage: DuckDB checks a block only when it is read."""
    try:
        for (table,) in connection.execute(_OWN_TABLES).fetchall():
            connection.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM "{table}"').fetchall()
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error as error:
        raise _UnreadableError from error


def _repair(path: Path, install_views: InstallViews, error: duckdb.Error) -> Opened:
    if not is_damage(error) or is_foreign(path, error):
        raise not_opened(path, error) from error
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists() and "wal file" in str(error).lower():
        kept = free_name(wal, "damaged")
        wal.rename(kept)
        opened = open_or_repair(path, install_views)
        return _noting(opened, f"an unreadable write-ahead log is kept in {kept.name}")
    return _rebuild(path, install_views)


def _rebuild(path: Path, install_views: InstallViews) -> Opened:
    """Put what can be read into a new file, and that in the place of the old one."""
    fresh = fresh_file(path)
    rows = _fill(fresh, path, install_views)
    damaged = free_name(path, "damaged")
    _give_second_name(path, damaged)
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists():  # what it holds, the journal does too
        wal.rename(damaged.with_name(f"{damaged.name}.wal"))
    fresh.replace(path)
    sync_folder(path.parent)
    return _noting(
        _open(path, install_views),
        f"{path.name} was damaged and is kept as {damaged.name}; {rows} rows were read from it",
    )


def _fill(fresh: Path, path: Path, install_views: InstallViews) -> int:
    """Everything that can be had, whole and checked on disk; how many rows the old file gave."""
    known = next((segment.store_id for segment in segments(path) if segment.store_id), None)
    connection = connect(fresh, spill=spill.writers_folder(path))
    try:
        initialise(connection, install_views, known_id=known)
        rows = _salvage(connection, path)
        load_journal(connection, path, Texts(connection), salvaged=True)
        connection.execute(sql("reconcile"))
        connection.execute("CHECKPOINT")
        counts = _counts(connection)
    finally:
        connection.close()
    with connect(fresh, read_only=True) as reopened:
        if _counts(reopened) != counts:
            raise StoreError(f"{path.name}: is damaged, and could not be written again")
        _read_everything(reopened)
    return rows


def _counts(connection: duckdb.DuckDBPyConnection) -> Mapping[str, int]:
    return {
        table.name: connection.execute(f"SELECT count(*) FROM {table.name}").fetchall()[0][0]
        for table in TABLES.values()
    }


def _salvage(connection: duckdb.DuckDBPyConnection, damaged: Path) -> int:
    """Copy what can be read. The file is opened under another name, apart from its WAL."""
    alone = damaged.with_name(f".{damaged.name}.new-{os.getpid()}-old")
    _give_second_name(damaged, alone)
    try:
        connection.execute(f"ATTACH {literal(alone)} AS damaged (READ_ONLY)")
        rows = sum(_salvage_table(connection, table.name) for table in TABLES.values())
        connection.execute("DETACH damaged")
    except duckdb.Error:
        return 0
    finally:
        alone.unlink(missing_ok=True)
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


def _give_second_name(path: Path, other: Path) -> None:
    """The same file under two names, or a copy where the folder knows no links."""
    with suppress(FileNotFoundError):
        other.unlink()
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:
        shutil.copyfile(path, other)


def _noting(opened: Opened, notice: str) -> Opened:
    return replace(opened, notices=[notice, *opened.notices])
