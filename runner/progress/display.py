"""How a running sweep looks: a live table on a terminal, plain lines in a pipe, JSON on request."""

import os
import sys
from typing import Protocol, Self, TextIO

import orjson
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from runner.progress.lane_table import lane_table
from runner.progress.states import RunState
from runner.progress.view import LaneView, SweepView
from runner.progress.words import errors_of, figures_of, purse_of, state_of
from runner.terminal.console import LiteralConsole, outlet
from runner.terminal.literal import visible, visible_word
from runner.terminal.words import duration

PLAIN_EVERY_S = 5.0
SHORTEST_BAR = 8


class Display(Protocol):
    """Shows views of a sweep while it runs; a context manager around the run."""

    for_people: bool
    """Whether tables may be printed between its lines."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def show(self, view: SweepView) -> None:
        """Take the newest view."""
        ...

    def say(self, line: str) -> None:
        """One line that stays."""
        ...


def choose(*, plain: bool, json: bool, stream: TextIO | None = None) -> Display:
    """The display for this terminal: live only where somebody can see it move."""
    out = outlet(stream or sys.stdout)
    if json:
        return JsonDisplay(out)
    if plain or not out.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return PlainDisplay(out)
    return LiveDisplay(LiteralConsole(out))


class JsonDisplay:
    """One JSON object a line, for programs."""

    for_people = False

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._out.flush()

    def show(self, view: SweepView) -> None:
        """At most one line a second while running, and always the last one."""
        if view.state is RunState.ENDED or view.elapsed_s >= self._next:
            self._next = view.elapsed_s + 1.0
            self._write({"event": "progress", **view.to_json()})

    def say(self, line: str) -> None:
        """A message as an event."""
        self._write({"event": "message", "text": line})

    def _write(self, value: object) -> None:
        self._out.write(visible(orjson.dumps(value).decode()) + "\n")
        self._out.flush()


class PlainDisplay:
    """A line every few seconds and model, without any escape sequence."""

    for_people = True

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._out.flush()

    def show(self, view: SweepView) -> None:
        """Every few seconds, and at the end."""
        if view.state is not RunState.ENDED and view.elapsed_s < self._next:
            return
        self._next = view.elapsed_s + PLAIN_EVERY_S
        for lane in view.lanes:
            self.say(self._line(view, lane))
        self.say(f"{duration(view.elapsed_s):>6} | {purse_of(view)}")

    def say(self, line: str) -> None:
        """One line."""
        self._out.write(visible(line) + "\n")
        self._out.flush()

    def _line(self, view: SweepView, lane: LaneView) -> str:
        done, *figures = figures_of(lane)
        errors = [errors_of(lane)] if lane.errors else []
        parts = [f"{duration(view.elapsed_s):>6}", f"{lane.model}: {done}", state_of(lane)]
        return " | ".join([*parts, *figures, *errors])


class LiveDisplay:
    """A table that is redrawn in place and follows the terminal's width."""

    for_people = True

    def __init__(self, console: Console) -> None:
        self._console = console
        self._size = console.size
        self._live = Live(console=console, auto_refresh=False, transient=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def show(self, view: SweepView) -> None:
        """Redraw; after a resize from the top, since the terminal has wrapped the old lines."""
        if self._console.size != self._size:
            self._size = self._console.size
            self._console.clear()
        self._live.update(self.render(view), refresh=True)

    def say(self, line: str) -> None:
        """A line above the table."""
        self._console.print(line)

    def render(self, view: SweepView) -> RenderableType:
        """The whole picture at the console's present width; what may not fit below comes last."""
        lanes = lane_table(view.lanes, self._console.width)
        return Group(self._head(view), self._money(view), lanes)

    def _head(self, view: SweepView) -> RenderableType:
        done = sum(lane.done for lane in view.lanes)
        planned = sum(lane.planned for lane in view.lanes)
        head = Text(f"{visible_word(view.name)}  ", style="bold")
        head.append(f"{done:,}/{planned:,} trials  {duration(view.elapsed_s)}", style="default")
        if view.state is not RunState.RUNNING:
            hint = (
                "  (Ctrl-C again ends calls in flight)" if view.state is RunState.DRAINING else ""
            )
            head.append(f"  {view.state}{hint}", style="yellow")
        return head

    def _money(self, view: SweepView) -> RenderableType:
        line = Text(purse_of(view))
        bar = min(60, self._console.width - line.cell_len - 2)
        if view.budget_usd is None or bar < SHORTEST_BAR:
            return line
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(width=bar)
        used = view.spent_usd + view.held_usd
        grid.add_row(line, ProgressBar(total=view.budget_usd or 1.0, completed=used))
        return grid
