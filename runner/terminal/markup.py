"""Tables for a document: Markdown and LaTeX, with whatever they would read as markup escaped."""

import re
from collections.abc import Iterator, Sequence

from runner.terminal.grid import Bold, Grid
from runner.terminal.literal import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
_LIGATURES = re.compile(r"([-`',!?])(?=[-`',])")
"""Two marks that LaTeX would draw as another one, such as a dash for two hyphens."""


def markdown_lines(grid: Grid) -> Iterator[str]:
    """A table of Markdown, its title as a line above."""
    if grid.title:
        yield from (f"**{_markdown(grid.title)}**", "")
    yield _piped(list(map(_markdown, grid.header)))
    yield _piped([":--" if index < grid.names else "--:" for index in range(len(grid.header))])
    for row in grid.rows:
        yield _piped(list(map(_markdown, row)))
    if grid.note:
        yield from ("", _markdown(grid.note))


def _piped(words: Sequence[str]) -> str:
    return f"| {' | '.join(words)} |"


def _markdown(word: str) -> str:
    escaped = re.sub(r"([\\|*_`<>\[\]~$&])", r"\\\1", visible(word)).replace("\n", " ")
    return f"**{escaped}**" if isinstance(word, Bold) else escaped


def latex_lines(grid: Grid) -> Iterator[str]:
    """A tabular of LaTeX that needs no package, its title as a comment above."""
    if grid.title:
        yield _comment(grid.title)
    kinds = "".join("l" if index < grid.names else "r" for index in range(len(grid.header)))
    yield f"\\begin{{tabular}}{{{kinds}}}"
    yield from (r"\hline", _row(grid.header), r"\hline")
    for row in grid.rows:
        yield _row(row)
    yield from (r"\hline", r"\end{tabular}")
    if grid.note:
        yield _comment(grid.note)


def _row(words: Sequence[str]) -> str:
    return " & ".join(map(_latex, words)) + r" \\"


def _comment(words: str) -> str:
    return f"% {visible(words)}".replace("\n", " ")


def _latex(word: str) -> str:
    plain = "".join(_LATEX.get(letter, letter) for letter in visible(word).replace("\n", " "))
    escaped = _LIGATURES.sub(r"\1{}", plain)
    return f"\\textbf{{{escaped}}}" if isinstance(word, Bold) else escaped
