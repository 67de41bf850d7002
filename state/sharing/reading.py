"""Opens a database for reading, whoever is writing it; what it was given stays as it is.

Where something must be done first (a journal to load, an old schema, damage), it is done to a
private copy, which goes when the reader closes. Only a writer changes the file itself.
"""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, cast

import duckdb

from state.database import spill
from state.database.damage import is_damage, is_foreign, not_opened
from state.database.memory import fit_reader
from state.database.migrate import check_version
from state.database.old_cells import show_facts
from state.database.opening import InstallViews, connect
from state.journal.journal import segments
from state.sharing.lock import writer_pid
from state.sharing.quack import read_address
from state.sharing.remote import connect_live
from state.sharing.snapshot import snapshot_file, wish_for_snapshot
from state.side_files import refuse_link
from state.store import StoreError

_PAUSE_S = 0.05
_SAYS_AFTER_S = 0.7
_GIVES_UP_AFTER_S = 60.0
_NOTICE_AGE_S = 2.0
_TRIES = 5
_OLDEST_READ = 2
"""The first schema that has all tables that views read."""
_LARGE = 256 << 20
"""A copy of so many bytes may take a second."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """An open database; use it as a context manager."""

    connection: duckdb.DuckDBPyConnection
    live: bool
    """A sweep is writing it now."""
    notice: str | None = None
    """What the user should know: how old this is, or what a copy was made for."""
    heaviest: int | None = None
    """Bytes of the texts that DuckDB reads at once; None where nobody has looked."""
    folder: Path | None = None
    """The reader's own, for what does not fit into memory, and for a copy."""

    def close(self) -> None:
        """Let go of the database."""
        self.connection.close()
        if self.folder is not None:
            spill.remove(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def no_views(_: duckdb.DuckDBPyConnection) -> None:
    """Leave the views as they are in the file."""


def to_stderr(line: str) -> None:
    """Where a reader's words go while it waits."""
    sys.stderr.write(f"runner: {line}\n")
    sys.stderr.flush()


def open_for_reading(
    path: Path, *, install_views: InstallViews = no_views, say: Say = to_stderr
) -> Reader:
    """Open for reading, beside a writer or after one. Raises StoreError in one clear line.

    `install_views` is only used where a copy must be rebuilt or brought to a newer schema.
    """
    _check_place(path)
    patience = _Patience(path, say)
    while True:
        pid = writer_pid(path)
        if pid is None:
            reader = _at_rest(path, install_views, say)
        else:
            with patience.telling(pid):
                reader = _live(path)
        if reader is not None:
            return reader
        patience.pause(pid)


def _check_place(path: Path) -> None:
    try:
        if not path.is_file():
            raise StoreError(f"{path}: no such file")
    except OSError as error:
        raise StoreError(f"{path}: cannot be reached: {error.strerror}") from error


class _Patience:
    """Says once what is waited for, and ends."""

    def __init__(self, path: Path, say: Say) -> None:
        self._name = path.name
        self._say = say
        self._begun = time.monotonic()
        self._said = threading.Lock()

    @contextmanager
    def telling(self, pid: int) -> Generator[None]:
        """Say that a process does not answer as soon as it has not for a while."""
        left_s = self._begun + _SAYS_AFTER_S - time.monotonic()
        teller = threading.Timer(max(0.0, left_s), self._tell, [f"process {pid}"])
        teller.daemon = True
        teller.start()
        try:
            yield
        finally:
            teller.cancel()

    def pause(self, pid: int | None) -> None:
        """Wait a moment. Raises StoreError when there were too many."""
        waited = time.monotonic() - self._begun
        who = "another process" if pid is None else f"process {pid}"
        if waited > _GIVES_UP_AFTER_S:
            raise StoreError(
                f"{self._name}: {who} is writing to it and has not answered"
                f" for {_GIVES_UP_AFTER_S:.0f} s; try again later"
            )
        if waited > _SAYS_AFTER_S:
            self._tell(who)
        time.sleep(_PAUSE_S)

    def _tell(self, who: str) -> None:
        if self._said.acquire(blocking=False):
            self._say(
                f"{self._name}: waiting for {who}, which is writing to it and does not answer yet"
                f" (at most {_GIVES_UP_AFTER_S:.0f} s)"
            )


def _live(path: Path) -> Reader | None:
    address = read_address(path)
    remote = connect_live(address) if address is not None else None
    if remote is not None:
        return Reader(connection=cast("duckdb.DuckDBPyConnection", remote), live=True)
    age_s = wish_for_snapshot(path, lambda: writer_pid(path) is not None)
    if age_s is None:
        return None
    notice = f"as it was {age_s:.0f} s ago" if age_s >= _NOTICE_AGE_S else None
    try:
        return _opened(snapshot_file(path), path, live=True, notice=notice)
    except (StoreError, duckdb.IOException):
        return None  # the writer has just ended and taken its snapshot with it


def _opened(
    file: Path, database: Path, *, live: bool = False, notice: str | None = None
) -> Reader | None:
    """A file as it is; None for one of a schema that the views cannot read."""
    folder = spill.readers_folder(database)
    try:
        connection = connect(file, read_only=True, spill=folder)
        try:
            if check_version(connection, database.name) < _OLDEST_READ:
                connection.close()
                spill.remove(folder)
                return None
            show_facts(connection)
            heaviest = fit_reader(connection)
        except BaseException:
            connection.close()
            raise
    except BaseException:
        spill.remove(folder)
        raise
    return Reader(connection=connection, live=live, notice=notice, heaviest=heaviest, folder=folder)


def _at_rest(path: Path, install_views: InstallViews, say: Say) -> Reader | None:
    try:
        if not segments(path) and (reader := _opened(path, path)) is not None:
            return reader
    except StoreError:
        if writer_pid(path) is None:
            raise
        return None
    except duckdb.Error as error:
        if not is_damage(error) or is_foreign(path, error):
            raise not_opened(path, error) from error
    return _from_copy(path, install_views, say)


def _from_copy(path: Path, install_views: InstallViews, say: Say) -> Reader | None:
    """What the file would be if its writer finished it, in a copy; None if a writer came."""
    # What loads rows takes half a second to import, and few readers need it.
    from state.database.gather import gather_at_rest  # noqa: PLC0415
    from state.database.repair import open_or_repair  # noqa: PLC0415

    folder = spill.readers_folder(path)
    try:
        if not _copied(path, folder, say):
            spill.remove(folder)
            return None
        opened = open_or_repair(folder / path.name, install_views)
        gather_at_rest(opened.connection)
    except duckdb.Error as error:
        spill.remove(folder)
        raise not_opened(path, error) from error
    except OSError as error:
        spill.remove(folder)
        raise StoreError(
            f"{path.name}: has to be read from a copy, and none can be made: {error.strerror}"
        ) from error
    except BaseException:
        spill.remove(folder)
        raise
    return Reader(
        connection=opened.connection,
        live=False,
        notice="; ".join(opened.notices) or None,
        heaviest=opened.texts.heaviest,
        folder=folder,
    )


def _copied(path: Path, folder: Path, say: Say) -> bool:
    """Copy the database with its log and journal, as they were at one moment."""
    for _ in range(_TRIES):
        before = _files(path)
        if writer_pid(path) is not None:
            return False
        size = sum(n_bytes for _, n_bytes, _ in before.values())
        if size > _LARGE:
            say(f"{path.name}: is read from a copy of {size / 1e9:.1f} GB, since its last writer"
                " did not finish it")  # fmt: skip
        try:
            for name in before:
                shutil.copyfile(path.with_name(name), folder / name)
        except FileNotFoundError:
            continue
        if _files(path) == before and writer_pid(path) is None:
            return True
    return False


def _files(path: Path) -> dict[str, tuple[int, int, int]]:
    wal = path.with_name(f"{path.name}.wal")
    refuse_link(wal)
    found: dict[str, tuple[int, int, int]] = {}
    for file in (path, wal, *(segment.path for segment in segments(path))):
        try:
            seen = file.lstat()
        except FileNotFoundError:
            continue
        found[file.name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
