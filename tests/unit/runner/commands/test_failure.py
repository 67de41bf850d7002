"""One line and an exit code for whatever ended a command."""

import errno
import os
from pathlib import Path

import pytest

from runner.commands.failure import report
from runner.errors import UsageError
from state.store import StoreError

FULL = os.strerror(errno.ENOSPC)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def caused_by(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, FULL),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), "sweep.duckdb"),
        StoreError(f"sweep.duckdb: cannot be opened: FATAL Error: {FULL}"),
        caused_by(RuntimeError("in between"), ValueError(f"Could not write: {FULL}\nmore")),
        ExceptionGroup("of a task group", [OSError(errno.ENOSPC, FULL)]),
    ],
)
def test_a_full_disk_is_no_bug(error: Exception, capsys: pytest.CaptureFixture[str]):
    assert report(error) == 2
    said = capsys.readouterr().err
    assert said.endswith("what is stored is kept: make room, and the same command goes on\n")
    assert said.count("\n") == 1
    assert not Path("runner-error.log").exists()


def test_what_says_itself_how_to_go_on_is_left_as_it_is(capsys: pytest.CaptureFixture[str]):
    said = f"sweep.duckdb: cannot be written: {FULL}; put it right, and the same command goes on"
    assert report(StoreError(said)) == 2
    assert capsys.readouterr().err == f"runner: {said}\n"


def test_a_usage_error_is_one_line(capsys: pytest.CaptureFixture[str]):
    assert report(UsageError("sweep.toml: no such task")) == 2
    assert capsys.readouterr().err == "runner: sweep.toml: no such task\n"


def test_a_bug_leaves_its_traceback_in_a_file(capsys: pytest.CaptureFixture[str]):
    assert report(ZeroDivisionError("division by zero")) == 1
    assert "runner-error.log" in capsys.readouterr().err
    assert "ZeroDivisionError" in Path("runner-error.log").read_text()
