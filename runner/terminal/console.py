"""The terminal: a console that survives a closed terminal, shows words literally, and is wide."""

import io
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from runner.terminal.literal import visible


class Outlet(io.TextIOBase):
    """Writes through to a stream; once that fails, everything further is dropped."""

    def __init__(self, stream: TextIO, *, literal: bool = False) -> None:
        super().__init__()
        self._stream = stream
        self._literal = literal
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
        """Write what can be written; literally, where nothing that passes is our own code."""
        if self._open:
            try:
                self._stream.write(visible(text) if self._literal else text)
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


def for_data(stream: TextIO) -> TextIO:
    """A stream for rows: programs get them as they are, a terminal nothing that drives it."""
    return cast("TextIO", Outlet(stream, literal=True)) if stream.isatty() else stream


PIPED_COLUMNS = 200
"""Nothing reads the width of a pipe, and a table cut to 80 columns loses its numbers."""


class LiteralConsole(Console):
    """Prints words as they are: no markup, no emoji codes, and nothing that drives a terminal."""

    def __init__(self, file: TextIO, *, width: int | None = None) -> None:
        super().__init__(file=file, width=width, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """A string as text, before its width is measured."""
        return super().render_str(visible(text), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Whatever else is printed, piece by piece; rich's own control codes stay."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(visible(piece.text), piece.style)


def console(stream: TextIO | None = None) -> Console:
    """A console on standard output, or on another stream."""
    to = stream or sys.stdout
    return LiteralConsole(outlet(to), width=None if to.isatty() else PIPED_COLUMNS)


def put(text: str, stream: TextIO | None = None) -> None:
    """Lines as they are, neither folded nor with their tabs expanded."""
    to = stream or sys.stdout
    to.write(visible(text) + "\n")
