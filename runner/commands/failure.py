"""What the user sees when a command fails: one line, and an exit code that scripts can read."""

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import duckdb

from runner.errors import RunnerError
from runner.terminal.console import put
from runner.terminal.literal import visible
from state.database.damage import is_damage
from state.side_files import write_own
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
    if isinstance(error, duckdb.Error) and (words := _of_the_file(error)) is not None:
        return _line(words, 2)
    text = "".join(traceback.format_exception(error))
    try:
        write_own(LOG, visible(text).encode(errors="replace"))
        where = f"; the traceback is in {LOG.resolve()}"
    except (OSError, StoreError):
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


def _of_the_file(error: duckdb.Error) -> str | None:
    """What to say where not the program is at fault but the file or the machine; else None."""
    words = str(error).partition("\n")[0]
    if is_damage(error):
        return f"the result file is damaged, which `runner sweep` with its config repairs: {words}"
    if isinstance(error, duckdb.OutOfMemoryException | duckdb.IOException):
        return f"the result file could not be read: {words}"
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
