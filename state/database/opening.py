"""Gets from a path to a usable database: made, checked, migrated, or repaired."""

import glob
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb

from state.database.migrate import check_version, migrate
from state.journal.journal import sync_folder
from state.side_files import refuse_link
from state.stamps import utc_us
from state.store import StoreError

InstallViews = Callable[[duckdb.DuckDBPyConnection], None]
_HELD = re.compile(r"\(PID (\d+)\)")
OFFLINE: Mapping[str, str | bool | int] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""Nothing is ever downloaded."""
READER_S = 3.0
"""Most who read a file at rest are done by then; a writer that comes meanwhile waits so long."""
_PAUSE_S = 0.05
WRITING: Mapping[str, str | bool | int] = {
    **OFFLINE,
    "storage_compatibility_version": "v1.5.0",  # whichever DuckDB we run on, others can read it
    "threads": 2,
    "allocator_background_threads": True,  # else what is freed stays taken while a thread rests
    "checkpoint_threshold": "1TB",  # checkpoints stall for 0.2-0.7 s: only when we say so
}


def connect(
    path: Path, *, read_only: bool = False, spill: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection under our settings, with a folder for what does not fit into memory.

    It may take all memory that DuckDB thinks right, until it is known what the file needs.
    Raises StoreError if somebody else holds the file, or a link stands in the place of its log.
    """
    refuse_link(path.with_name(f"{path.name}.wal"))
    settings = OFFLINE if read_only else WRITING
    config: dict[str, Any] = {**settings, "temp_directory": "" if spill is None else str(spill)}
    begun = time.monotonic()
    while True:
        try:
            return duckdb.connect(str(path), read_only=read_only, config=config)
        except duckdb.Error as error:
            held = _HELD.search(str(error))
            if held is None:
                raise
            if time.monotonic() - begun > READER_S:
                raise StoreError(
                    f"{path.name}: process {held[1]} has it open; close it first"
                ) from error
            time.sleep(_PAUSE_S)


def create(path: Path, install_views: InstallViews) -> None:
    """Make an empty database; under its name it is only ever seen whole."""
    fresh = fresh_file(path)
    connection = connect(fresh)
    try:
        initialise(connection, install_views)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    fresh.replace(path)
    sync_folder(path.parent)


def fresh_file(path: Path) -> Path:
    """Where a database is made before it gets this name; nothing is there."""
    remove_unfinished(path)
    return path.with_name(f".{path.name}.new-{os.getpid()}")


def remove_unfinished(path: Path) -> None:
    """Remove what was being made into this database: we are its only writer, so its maker died."""
    for unfinished in path.parent.glob(f".{glob.escape(path.name)}.new-*"):
        unfinished.unlink()


def initialise(
    connection: duckdb.DuckDBPyConnection,
    install_views: InstallViews,
    *,
    known_id: str | None = None,
) -> None:
    """Make all tables and views, empty, and say whose they are."""
    migrate(connection)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [
            ["format", "runner"],
            ["store_id", known_id or uuid4().hex],
            ["created_us", str(utc_us())],
        ],
    )
    install_views(connection)


def prepare(connection: duckdb.DuckDBPyConnection, path: Path, install_views: InstallViews) -> None:
    """Bring the schema and views of an open file up to date."""
    migrate(connection, since=check_version(connection, path.name))
    install_views(connection)


def store_id(connection: duckdb.DuckDBPyConnection) -> str:
    """What tells this database's journal from another's."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'store_id'").fetchall()
    return str(found[0][0])
