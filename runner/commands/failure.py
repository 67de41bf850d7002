"""What the user sees when a command fails: one line, and an exit code that scripts can read."""

import contextlib
import sys
import traceback
from pathlib import Path
from typing import cast

from runner.errors import RunnerError
from state.store import StoreError
from tasks.sample import TaskError

LOG = Path("runner-error.log")


def report(error: Exception) -> int:
    """Print one line; the traceback of a bug goes to a file beside the user's own."""
    error = _innermost(error)
    if isinstance(error, RunnerError):
        return _line(str(error), error.exit_code)
    if isinstance(error, TaskError | StoreError):
        return _line(str(error), 2)
    text = "".join(traceback.format_exception(error))
    try:
        LOG.write_text(text, encoding="utf-8")
        where = f"; the traceback is in {LOG.resolve()}"
    except OSError:
        where = f"\n{text}"
    return _line(f"a bug in runner: {type(error).__name__}: {error}{where}", 1)


def _innermost(error: BaseException) -> Exception:
    """The one error inside a task group's wrapping; siblings were only cancelled by it."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return _innermost(group.exceptions[0])
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _line(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # the terminal may be gone
        sys.stderr.write(f"runner: {message}\n")
    return code
