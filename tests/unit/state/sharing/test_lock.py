import errno
import fcntl
import os
from pathlib import Path

import pytest

from state.sharing.lock import WriterLock, writer_pid
from state.store import StoreError


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    lock = WriterLock.take(database)
    with pytest.raises(StoreError, match=f"process {os.getpid()} is writing"):
        WriterLock.take(database)
    assert writer_pid(database) == os.getpid()
    lock.release()
    lock.release()
    assert writer_pid(database) is None
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_that_was_left_behind_means_nothing(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    (tmp_path / "a.duckdb.lock").write_text("1")
    assert writer_pid(database) is None
    WriterLock.take(database).release()


def test_asking_for_the_writer_leaves_nothing(tmp_path: Path) -> None:
    assert writer_pid(tmp_path / "a.duckdb") is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        WriterLock.take(tmp_path / "file" / "a.duckdb")


def test_a_disk_without_locks_is_refused_for_writing_and_not_for_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    database = tmp_path / "a.duckdb"
    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(StoreError, match=r"has no locks \(No locks available\).*another disk"):
        WriterLock.take(database)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.duckdb.lock").write_text("1")
    assert writer_pid(database) is None
