"""A stream to a terminal or pipe that may go away: a sweep must not end because nobody watches."""

import io
from typing import TextIO, cast


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
