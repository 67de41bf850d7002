"""One writer per database, and its name when somebody else wants in."""

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from state.side_files import open_own
from state.store import StoreError

_SUFFIX = ".lock"
_TRIES = 10
_PAUSE_S = 0.02
"""Whoever asks for the writer's name holds the lock for an instant; that must not look like one."""


def _path(database: Path) -> Path:
    return database.with_name(database.name + _SUFFIX)


class WriterLock:
    """Held by the process that writes a database; the file beside it holds the process id.

    The kernel lets go of it when the process ends, however it ends; a file that was left behind
    means nothing.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle = handle

    @classmethod
    def take(cls, database: Path) -> Self:
        """Become the writer. Raises StoreError naming the process that is."""
        path = _path(database)
        while True:
            handle = _open(path, database)
            if not _locked(handle, path, database):
                holder = _holder(handle)
                os.close(handle)
                raise StoreError(
                    f"{database.name}: process {holder} is writing to it; wait or stop it"
                )
            if _is_current(handle, path):
                break
            os.close(handle)  # its last holder removed the file between our open and our lock
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        return cls(path, handle)

    def release(self) -> None:
        """Stop being the writer."""
        if self._handle >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1


def writer_pid(database: Path) -> int | None:
    """The process that writes this database now; None when there is none."""
    try:
        handle = open_own(_path(database), os.O_RDONLY)
    except OSError:
        return None
    try:
        return None if _try_lock(handle) else _holder(handle)
    except OSError:
        return None  # where there are no locks, nobody becomes a writer
    finally:
        os.close(handle)


def _open(path: Path, database: Path) -> int:
    try:
        return open_own(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StoreError(
            f"{database}: cannot be written, since its folder cannot be: {error.strerror}"
        ) from error


def _locked(handle: int, path: Path, database: Path) -> bool:
    try:
        return _lock(handle)
    except OSError as error:
        os.close(handle)
        path.unlink(missing_ok=True)
        raise StoreError(
            f"{database.name}: its folder's file system has no locks ({error.strerror}), so two"
            " sweeps could write to it at once; put it on another disk"
        ) from error


def _lock(handle: int) -> bool:
    for _ in range(_TRIES):
        if _try_lock(handle):
            return True
        time.sleep(_PAUSE_S)
    return False


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_current(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _holder(handle: int) -> int:
    text = os.pread(handle, 20, 0)
    return int(text) if text.isdigit() else 0
