"""Puts a table of words on a console: a rich table on a screen, aligned plain lines in a pipe.

No word of a table is cut: columns that have no room continue below, and where the names alone leave
none, each row becomes a record of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.terminal.literal import visible_word

GAP = 2
SCREEN_GAP = 3
"""Between two columns of a rich table: padding on both sides, and the box's own blank."""


class Bold(str):
    """A word that stands out, where there is bold type."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of words."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    """How many of the first columns are names."""
    note: str = ""


class Printer:
    """Puts lines and grids on one console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, line: str) -> None:
        """A line as it is."""
        self._console.print(line, soft_wrap=True)

    def grid(self, grid: Grid) -> None:
        """One table; on a screen that is too narrow, in pieces or as records."""
        grid = literal(grid)
        width = self._console.width
        if self._console.is_terminal and fits(grid, width):
            for part in parts(grid, width):
                self._console.print(_rich(part))
        elif self._console.is_terminal:
            for line in record_lines(grid, width):
                self.say(line)
        else:
            for line in plain_lines(grid):
                self.say(line)
        self.say("")


def literal(grid: Grid) -> Grid:
    """The grid with nothing in its words that drives a terminal."""
    return replace(
        grid,
        title=visible_word(grid.title),
        header=list(map(visible_word, grid.header)),
        rows=[list(map(visible_word, row)) for row in grid.rows],
        note=visible_word(grid.note),
    )


def widths(grid: Grid) -> list[int]:
    """Characters that each column needs."""
    return [max(map(len, column)) for column in zip(grid.header, *grid.rows, strict=True)]


def plain_lines(grid: Grid) -> Iterator[str]:
    """Aligned columns, title above and note below."""
    yield grid.title
    needed = widths(grid)
    for row in (grid.header, *grid.rows):
        words = [
            word.ljust(width) if index < grid.names else word.rjust(width)
            for index, (word, width) in enumerate(zip(row, needed, strict=True))
        ]
        yield (" " * GAP).join(words).rstrip()
    if grid.note:
        yield f"({grid.note})"


def parts(grid: Grid, width: int) -> Iterator[Grid]:
    """The grid in pieces that fit the width; each repeats the names, the note comes last."""
    needed = widths(grid)
    named = range(grid.names)
    room = width - sum(needed[index] + SCREEN_GAP for index in named)
    pieces: list[list[int]] = [[]]
    used = 0
    for index in range(grid.names, len(needed)):
        if pieces[-1] and used + needed[index] > room:
            pieces.append([])
            used = 0
        used += needed[index] + SCREEN_GAP
        pieces[-1].append(index)
    for number, piece in enumerate(pieces):
        yield replace(
            grid,
            title=grid.title if number == 0 else "",
            header=[grid.header[index] for index in (*named, *piece)],
            rows=[[row[index] for index in (*named, *piece)] for row in grid.rows],
            note=grid.note if piece is pieces[-1] else "",
        )


def fits(grid: Grid, width: int) -> bool:
    """Whether the names leave room for the widest of the other columns."""
    needed = widths(grid)
    named = needed[: grid.names]
    widest = max(needed[grid.names :], default=0)
    return sum(size + SCREEN_GAP for size in named) + widest <= width


def record_lines(grid: Grid, width: int) -> Iterator[str]:
    """Each row as lines of `column: value`; what is longer than a line is broken at blanks."""
    if grid.title:
        yield from wrap(grid.title, width, break_long_words=False, break_on_hyphens=False)
    label = max(map(len, grid.header))
    for row in grid.rows:
        yield ""
        for name, word in zip(grid.header, row, strict=True):
            if word:
                yield from wrap(
                    word,
                    width,
                    initial_indent=f"{name:<{label}}{' ' * GAP}",
                    subsequent_indent=" " * GAP * 2,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    if grid.note:
        yield from ("", *wrap(f"({grid.note})", width, break_long_words=False))


def _rich(grid: Grid) -> Table:
    table = Table(
        title=grid.title or None,
        title_justify="left",
        title_style="bold",
        caption=grid.note or None,
        caption_justify="left",
        caption_style="dim",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
    )
    for index, name in enumerate(grid.header):
        table.add_column(name, justify="left" if index < grid.names else "right", no_wrap=True)
    for row in grid.rows:
        # As text: in a word that is read as markup, a hash in brackets would be a tag and vanish.
        table.add_row(*(Text(word, "bold" if isinstance(word, Bold) else "") for word in row))
    return table
