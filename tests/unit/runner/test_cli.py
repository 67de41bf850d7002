"""What the process owes to whoever reads its output, or no longer does."""

import os
import subprocess
import sys
from typing import Any

import pytest

AS_COMMAND = """
import os, sys
from runner import cli
sys.argv = ["runner", *sys.argv[1:]]
{before}
cli.main()
"""
READER_GONE = "r, w = os.pipe(); os.close(r); os.dup2(w, {number}); os.close(w)"


def ended(*arguments: str, before: str = "", **options: Any) -> int:
    """The exit code of the command line in a process whose streams are buffered."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = [sys.executable, "-c", AS_COMMAND.format(before=before), *arguments]
    return subprocess.run(command, env=environ, timeout=120, check=False, **given).returncode


@pytest.mark.parametrize(
    ("number", "arguments", "code"),
    [
        (1, ("--help",), 0),
        (2, ("--help",), 0),
        (1, ("tasks",), 0),
        (1, ("no-such-command",), 2),
    ],
)
def test_a_reader_that_is_gone_changes_no_exit_code(
    number: int, arguments: tuple[str, ...], code: int
):
    assert ended(*arguments, before=READER_GONE.format(number=number)) == code


@pytest.mark.parametrize("closed", ["1", "2", "1 2"])
@pytest.mark.parametrize(("arguments", "code"), [(("--help",), 0), (("no-such-command",), 2)])
def test_streams_that_the_caller_closed_change_no_exit_code(
    closed: str, arguments: tuple[str, ...], code: int
):
    shut = " ".join(f"{number}>&-" for number in closed.split())
    command = f'exec "{sys.executable}" -m runner {" ".join(arguments)} {shut}'
    assert subprocess.run(["sh", "-c", command], timeout=120, check=False).returncode == code
