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

from runner.outlet import outlet
from runner.stats import LaneView, SweepView

PLAIN_EVERY_S = 5.0


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
    return LiveDisplay(Console(file=out))


def money(usd: float) -> str:
    """Dollars with as many digits as matter."""
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def duration(seconds: float | None) -> str:
    """Seconds as 42s, 3m10s or 5h07m."""
    if seconds is None:
        return "-"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


def amount(value: float) -> str:
    """A rate in three digits: 950, 12.3k, 1.2M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f}{unit}"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def state_of(lane: LaneView) -> str:
    """What a lane does or waits for, in two or three words."""
    if lane.ended:
        return lane.ended
    if lane.waiting == "retry_after":
        return f"told to wait {duration(lane.waiting_s)}"
    if lane.waiting == "limiter":
        return "rate limit"
    if lane.waiting:
        return lane.waiting
    return "running"


def errors_of(lane: LaneView) -> str:
    """Non-answers by outcome, most first."""
    ranked = sorted(lane.errors.items(), key=lambda item: -item[1])
    return " ".join(f"{outcome} {count}" for outcome, count in ranked[:3])


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
        if view.state == "ended" or view.elapsed_s >= self._next:
            self._next = view.elapsed_s + 1.0
            self._write({"event": "progress", **view.to_json()})

    def say(self, line: str) -> None:
        """A message as an event."""
        self._write({"event": "message", "text": line})

    def _write(self, value: object) -> None:
        self._out.write(orjson.dumps(value).decode() + "\n")
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
        if view.state != "ended" and view.elapsed_s < self._next:
            return
        self._next = view.elapsed_s + PLAIN_EVERY_S
        for lane in view.lanes:
            self.say(self._line(view, lane))

    def say(self, line: str) -> None:
        """One line."""
        self._out.write(line + "\n")
        self._out.flush()

    def _line(self, view: SweepView, lane: LaneView) -> str:
        parts = [
            f"{duration(view.elapsed_s):>6}",
            f"{lane.model}: {lane.done:,}/{lane.planned:,}",
            f"in flight {lane.in_flight}"
            + (f" (oldest {duration(lane.oldest_s)})" if lane.in_flight else ""),
            f"{amount(lane.tokens_per_s)} tok/s",
            money(lane.spent_usd),
            state_of(lane),
        ]
        if lane.backing_off:
            parts.append(f"backoff {lane.backing_off}")
        if lane.rate_limited:
            parts.append(f"429s {lane.rate_limited}")
        if lane.errors:
            parts.append(errors_of(lane))
        if lane.eta_s is not None:
            parts.append(f"ETA {duration(lane.eta_s)}")
        return " | ".join(parts)


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
        self._console.print(line, highlight=False, markup=False)

    def render(self, view: SweepView) -> RenderableType:
        """The whole picture at the console's present width."""
        wide = self._console.width >= 110
        return Group(self._head(view), self._lanes(view, wide=wide), self._money(view))

    def _head(self, view: SweepView) -> RenderableType:
        done = sum(lane.done for lane in view.lanes)
        planned = sum(lane.planned for lane in view.lanes)
        head = Text(f"{view.name}  ", style="bold")
        head.append(f"{done:,}/{planned:,} trials  {duration(view.elapsed_s)}", style="default")
        if view.state != "running":
            hint = "  (Ctrl-C again ends calls in flight)" if view.state == "draining" else ""
            head.append(f"  {view.state}{hint}", style="yellow")
        return head

    def _lanes(self, view: SweepView, *, wide: bool) -> RenderableType:
        table = Table(box=None, padding=(0, 1), expand=False, header_style="dim")
        table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=36 if wide else 22)
        table.add_column("", width=16 if wide else 8)
        for name in ("done", "in flight", "tok/s", "spent"):
            table.add_column(name, justify="right", no_wrap=True)
        if wide:
            for name in ("oldest", "429s", "ETA"):
                table.add_column(name, justify="right", no_wrap=True)
        table.add_column("state", no_wrap=True, overflow="ellipsis")
        for lane in view.lanes:
            table.add_row(*self._row(lane, wide=wide))
        return table

    def _row(self, lane: LaneView, *, wide: bool) -> list[RenderableType]:
        bar = ProgressBar(total=max(lane.planned, 1), completed=lane.done)
        cells: list[RenderableType] = [
            lane.model,
            bar,
            f"{lane.done:,}/{lane.planned:,}",
            str(lane.in_flight),
            amount(lane.tokens_per_s),
            money(lane.spent_usd),
        ]
        if wide:
            oldest = duration(lane.oldest_s) if lane.in_flight else "-"
            cells += [oldest, str(lane.rate_limited or "-"), duration(lane.eta_s)]
        state = Text(state_of(lane), style="green" if not lane.ended else "default")
        if lane.errors:
            state.append(f"  {errors_of(lane)}", style="yellow")
        return [*cells, state]

    def _money(self, view: SweepView) -> RenderableType:
        if view.budget_usd is None:
            return Text(f"spent {money(view.spent_usd)}, no budget set", style="dim")
        used = view.spent_usd + view.held_usd
        line = Text(f"budget {money(view.budget_usd)}: spent {money(view.spent_usd)}")
        left = max(0.0, view.budget_usd - used)
        line.append(f", held {money(view.held_usd)}, left {money(left)}", style="dim")
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(width=max(8, min(60, self._console.width - line.cell_len - 2)))
        grid.add_row(line, ProgressBar(total=view.budget_usd or 1.0, completed=used))
        return grid
