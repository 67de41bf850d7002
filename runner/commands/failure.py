"""What the user sees when a command fails: one line, and an exit code that scripts can read."""

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from runner.errors import RunnerError
from runner.terminal.console import put
from runner.terminal.literal import visible
from state.store import StoreError
from tasks.sample import TaskError

LOG = Path("runner-error.log")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
GOES_ON = "the same command goes on"


def report(error: Exception) -> int:
    """Print one line; the traceback of a bug goes to a file beside the user's own."""
    error = _innermost(error)
    if (full := _full_disk(error)) is not None:
        return _line(full, 2)
    if isinstance(error, RunnerError):
        return _line(str(error), error.exit_code)
    if isinstance(error, TaskError | StoreError):
        return _line(str(error), 2)
    text = "".join(traceback.format_exception(error))
    try:
        LOG.write_text(visible(text), encoding="utf-8")
        where = f"; the traceback is in {LOG.resolve()}"
    except OSError:
        where = f"\n{text}"
    return _line(f"a bug in runner: {type(error).__name__}: {error}{where}", 1)


def _full_disk(error: Exception) -> str | None:
    """What to say where there was no room to write; None for all other errors.

    DuckDB wraps the system's words in its own, and they may come up anywhere: it is no bug of ours.
    """
    words = [os.strerror(number) for number in NO_ROOM]
    for cause in _causes(error):
        said = str(cause).partition("\n")[0]
        if any(word in said for word in words):
            text = str(error).partition("\n")[0] if isinstance(error, StoreError) else said
            end = "" if GOES_ON in text else f"; what is stored is kept: make room, and {GOES_ON}"
            return f"{text}{end}"
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _innermost(error: BaseException) -> Exception:
    """The one error inside a task group's wrapping; siblings were only cancelled by it."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return _innermost(group.exceptions[0])
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _line(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # the terminal may be gone
        put(f"runner: {message}", sys.stderr)
    return code
