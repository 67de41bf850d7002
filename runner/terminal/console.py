"""The terminal: a console that survives a closed terminal, and its width when piped."""

import io
import sys
from typing import TextIO, cast

from rich.console import Console


class Outlet(io.TextIOBase):
    """Writes through to a stream; once that fails, everything further is dropped."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._open = True

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The stream's own."""
        return self._stream.encoding or "utf-8"

    def isatty(self) -> bool:
        """Whether somebody could see it move."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The stream's own."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Always: what cannot be written is dropped."""
        return True

    def write(self, text: str, /) -> int:
        """Write what can be written."""
        if self._open:
            try:
                self._stream.write(text)
            except (OSError, ValueError):
                self._open = False
        return len(text)

    def flush(self) -> None:
        """Flush what can be flushed."""
        if self._open:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._open = False


def outlet(stream: TextIO) -> TextIO:
    """The stream, made safe to lose."""
    return cast("TextIO", Outlet(stream))


PIPED_COLUMNS = 200
"""Nothing reads the width of a pipe, and a table cut to 80 columns loses its numbers."""


def console() -> Console:
    """A console on standard output."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return Console(file=outlet(sys.stdout), width=width, highlight=False, soft_wrap=False)
