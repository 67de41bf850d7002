"""Snapshots of a database that is being written, made when somebody asks for one.

A reader leaves a wish beside the database; the writer copies tables and views into a file of their
own and renames it into place, so a snapshot is only ever seen whole.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from state.database import spill
from state.literals import literal
from state.side_files import open_own
from state.store import StoreError

_LOOK_EVERY_S = 0.1
_REST = 20
"""Time between two snapshots, in multiples of what one took: at most 5 % of a core goes there."""
FRESH_S = 0.7
"""A reader waits so long for a new snapshot when it could have an older one."""


def snapshot_file(database: Path) -> Path:
    """Where the newest snapshot is."""
    return database.with_name(database.name + ".snapshot")


def _wish(database: Path) -> Path:
    return database.with_name(database.name + ".snapshot-wanted")


def _remove_snapshots(database: Path) -> None:
    """Leave none that a later writer did not make."""
    for path in (snapshot_file(database), _unfinished(database)):
        path.unlink(missing_ok=True)


def _unfinished(database: Path) -> Path:
    return spill.place(database) / "snapshot"


def write_snapshot(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    """Copy the database, as it is at one instant, to its snapshot file."""
    fresh = _unfinished(database)
    fresh.parent.mkdir(mode=0o700, exist_ok=True)
    fresh.unlink(missing_ok=True)
    name = connection.execute("SELECT current_database()").fetchall()[0][0]
    connection.execute(f"ATTACH {literal(fresh)} AS runner_snapshot")
    try:
        connection.execute(f'COPY FROM DATABASE "{name}" TO runner_snapshot')
    finally:
        connection.execute("DETACH runner_snapshot")
    fresh.replace(snapshot_file(database))


class SnapshotService:
    """Grants wishes for snapshots from a thread of its own, while it runs."""

    def __init__(self, database: Path, cursor: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._database = database
        self._cursor = cursor
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="runner-snapshot", daemon=True)

    def start(self) -> None:
        """Begin; a wish that a reader made before is granted, for he may be waiting."""
        _remove_snapshots(self._database)
        self._thread.start()

    def stop(self) -> None:
        """End, and leave no snapshot that could be taken for news."""
        self._stopping.set()
        self._thread.join()
        _wish(self._database).unlink(missing_ok=True)
        _remove_snapshots(self._database)

    def _run(self) -> None:
        pause_s = _LOOK_EVERY_S
        while not self._stopping.wait(pause_s):
            pause_s = max(_LOOK_EVERY_S, self._serve() * _REST)

    def _serve(self) -> float:
        """Seconds spent on a wish; none without one."""
        wish = _wish(self._database)
        if not os.path.lexists(wish):
            return 0.0
        wish.unlink(missing_ok=True)
        begun = time.monotonic()
        try:
            with self._cursor() as cursor:
                write_snapshot(cursor, self._database)
        except (duckdb.Error, StoreError, OSError):
            _unfinished(self._database).unlink(missing_ok=True)  # the reader will say it got none
        return time.monotonic() - begun


def wish_for_snapshot(database: Path, writing: Callable[[], bool]) -> float | None:
    """Ask the writer for a snapshot; its age in seconds (0: new), or None if there is none."""
    before = _identity(database)
    try:
        os.close(open_own(_wish(database), os.O_WRONLY | os.O_CREAT))
    except (OSError, StoreError):
        return None if before is None else _age_s(before)
    begun = time.monotonic()
    while writing():
        waited = time.monotonic() - begun
        now = _identity(database)
        if now is not None and now != before:
            return 0.0
        if waited > FRESH_S:
            break  # whoever has none yet may ask again
        time.sleep(_LOOK_EVERY_S / 4)
    else:
        _wish(database).unlink(missing_ok=True)  # nobody is left to grant it
    return None if before is None else _age_s(before)


def _identity(database: Path) -> tuple[int, int] | None:
    try:
        found = snapshot_file(database).lstat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _age_s(identity: tuple[int, int]) -> float:
    return max(0.0, time.clock_gettime(time.CLOCK_REALTIME) - identity[1] / 1e9)
