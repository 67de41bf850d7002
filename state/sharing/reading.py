"""Opens a database for reading, whoever is writing it."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self, cast

import duckdb

from state.database.damage import is_damage, is_foreign, not_opened
from state.database.gather import gather_at_rest, is_behind
from state.database.migrate import LATEST, check_version
from state.database.opening import InstallViews, connect
from state.journal.journal import segments
from state.sharing.lock import WriterLock, writer_pid
from state.sharing.quack import read_address
from state.sharing.remote import connect_live
from state.sharing.snapshot import snapshot_file, wish_for_snapshot
from state.store import StoreError

_TRIES = 20
_PAUSE_S = 0.05
_NOTICE_AGE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """An open database; use it as a context manager."""

    connection: duckdb.DuckDBPyConnection
    live: bool
    """A sweep is writing it now."""
    notice: str | None = None
    """What the user should know: how old this is, or what was repaired."""

    def close(self) -> None:
        """Let go of the database."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def no_views(_: duckdb.DuckDBPyConnection) -> None:
    """Leave the views as they are in the file."""


def open_for_reading(path: Path, *, install_views: InstallViews = no_views) -> Reader:
    """Open for reading, beside a writer or after one. Raises StoreError in one clear line.

    `install_views` is only used where the file must be rebuilt or brought to a newer schema.
    """
    _check_place(path)
    for _ in range(_TRIES):
        reader = _live(path) if writer_pid(path) is not None else _at_rest(path, install_views)
        if reader is not None:
            return reader
        time.sleep(_PAUSE_S)  # a writer has just come or gone
    raise StoreError(f"{path.name}: process {writer_pid(path)} is writing to it; try again soon")


def _check_place(path: Path) -> None:
    try:
        if not path.is_file():
            raise StoreError(f"{path}: no such file")
    except OSError as error:
        raise StoreError(f"{path}: cannot be reached: {error.strerror}") from error


def _live(path: Path) -> Reader | None:
    address = read_address(path)
    remote = connect_live(address) if address is not None else None
    if remote is not None:
        return Reader(connection=cast("duckdb.DuckDBPyConnection", remote), live=True)
    age_s = wish_for_snapshot(path, lambda: writer_pid(path) is not None)
    if age_s is None:
        return None
    notice = f"as it was {age_s:.0f} s ago" if age_s >= _NOTICE_AGE_S else None
    return _quietly(
        lambda: Reader(
            connection=connect(snapshot_file(path), read_only=True), live=True, notice=notice
        )
    )


def _quietly(open_it: Callable[[], Reader]) -> Reader | None:
    try:
        return open_it()
    except (StoreError, duckdb.IOException):
        return None  # the writer has just ended and taken its snapshot with it


def _at_rest(path: Path, install_views: InstallViews, *, may_gather: bool = True) -> Reader | None:
    notice = _recover(path, install_views) if segments(path) else None
    try:
        connection = connect(path, read_only=True)
    except StoreError:
        if writer_pid(path) is None:
            raise
        return None
    except duckdb.Error as error:
        return _broken(path, install_views, error)
    if _version(connection, path) < LATEST:
        if not _may_write(path):
            return Reader(connection=connection, live=False, notice=notice)
        connection.close()
        _recover(path, install_views)
        return None
    if may_gather and is_behind(connection) and os.access(path, os.W_OK):
        connection.close()
        with suppress(duckdb.Error, StoreError):  # a killed sweep's file: slow, but whole
            _recover(path, install_views)
        return _at_rest(path, install_views, may_gather=False)
    return Reader(connection=connection, live=False, notice=notice)


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    try:
        return check_version(connection, path.name)
    except StoreError:
        connection.close()
        raise


def _broken(path: Path, install_views: InstallViews, error: duckdb.Error) -> Reader:
    if not is_damage(error) or is_foreign(path, error):
        raise not_opened(path, error) from error
    notice = _recover(path, install_views)
    return Reader(connection=connect(path, read_only=True), live=False, notice=notice)


def _recover(path: Path, install_views: InstallViews) -> str | None:
    """Finish what a killed writer left undone; what was done, or why it could not be."""
    # What loads rows takes half a second to import, and few readers need it.
    from state.database.repair import open_or_repair  # noqa: PLC0415

    try:
        lock = WriterLock.take(path)
    except StoreError as error:
        return f"rows that were not yet in the file when it was last written are left out ({error})"
    try:
        opened = open_or_repair(path, install_views)
        with suppress(duckdb.Error):  # it saves time, and nothing hangs on it
            gather_at_rest(opened.connection)
        opened.connection.close()
    finally:
        lock.release()
    return "; ".join(opened.notices) or None
