"""What went wrong, in a text file beside the database: one line an attempt that gave no answer.

The tables have it too, so a line that cannot be written, on a full disk say, ends no sweep.
"""

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TextIO

from runner.engine.observers.events import Ended, Event, Skipped
from runner.terminal.console import outlet
from state.records import SCORED
from state.side_files import open_own

MAX_BYTES = 20_000_000
"""The table has everything; the log stops growing before it fills a disk."""


class AttemptLog:
    """An observer of lanes. Error texts were shortened and redacted before they come here."""

    def __init__(self, out: TextIO, size: int) -> None:
        self._file = out
        self._out = outlet(out)
        self._left = MAX_BYTES - size

    @classmethod
    def open(cls, db: Path) -> Self:
        """The log `<db>.log`, appended to."""
        path = db.with_name(db.name + ".log")
        handle = open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        out = os.fdopen(handle, "a", encoding="utf-8")
        return cls(out, out.tell())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError):
            self._file.close()

    def take(self, event: Event) -> None:
        """Write the line of an attempt that was no answer."""
        if not isinstance(event, (Ended, Skipped)) or event.outcome in SCORED or self._left <= 0:
            return
        row = event.row
        at = datetime.fromtimestamp(row.finished_at / 1e6, UTC).isoformat(timespec="milliseconds")
        status = "" if row.http_status is None else f" {row.http_status}"
        error = "" if row.error is None else f" {row.error}"
        line = f"{at} {event.model} {row.attempt_id} {row.outcome}{status}{error}".replace(
            "\n", " "
        )
        self._left -= len(line) + 1
        self._out.write(line + "\n")
        self._out.flush()
