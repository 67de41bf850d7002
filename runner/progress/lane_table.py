"""The lanes of a running sweep at any width: a line each where that fits, else a few lines each.

A table that is squeezed loses its numbers, so the width is worked out before it is drawn.
"""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from runner.progress.view import LaneView
from runner.progress.words import errors_of, figures_of, state_of
from runner.terminal.literal import visible_word
from runner.terminal.words import amount, duration, money

COLUMNS = ("model", "done", "in flight", "oldest", "tok/s", "spent", "429s", "ETA")
GAP = 2
STATE = 36
"""Columns for what a lane waits for and how its calls ended; longer ones are cut."""
LONGEST_BAR = 16


def lane_table(lanes: Sequence[LaneView], width: int) -> RenderableType:
    """All lanes at that width."""
    rows = [_cells(lane) for lane in lanes]
    widths = [max(len(name), *(len(row[at]) for row in rows)) for at, name in enumerate(COLUMNS)]
    room = width - sum(widths) - GAP * len(COLUMNS) - STATE
    if room < 0:
        return Group(*(line for lane in lanes for line in _lines(lane)))
    bar = min(room - GAP, LONGEST_BAR)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    for name, taken in zip(COLUMNS, widths, strict=True):
        table.add_column(name, justify="left" if name == "model" else "right", min_width=taken)
    if bar > 0:
        table.add_column("", width=bar)
    state = STATE + room - (bar + GAP if bar > 0 else 0)
    table.add_column("state", no_wrap=True, overflow="ellipsis", max_width=state)
    for lane, row in zip(lanes, rows, strict=True):
        table.add_row(*row, *([_bar(lane)] if bar > 0 else []), _state(lane))
    return table


def _cells(lane: LaneView) -> tuple[str, ...]:
    return (
        visible_word(lane.model),
        f"{lane.done:,}/{lane.planned:,}",
        f"{lane.in_flight:,}",
        duration(lane.oldest_s) if lane.in_flight else "-",
        amount(lane.tokens_per_s),
        money(lane.spent_usd),
        f"{lane.rate_limited:,}" if lane.rate_limited else "-",
        duration(lane.eta_s),
    )


def _state(lane: LaneView) -> Text:
    state = Text(state_of(lane), style="green" if not lane.ended else "default")
    if lane.errors:
        state.append(f"  {errors_of(lane)}", style="yellow")
    return state


def _bar(lane: LaneView) -> ProgressBar:
    return ProgressBar(total=max(lane.planned, 1), completed=lane.done)


def _lines(lane: LaneView) -> list[Text]:
    head = Text.assemble((visible_word(lane.model), "bold"), "  ", _state(lane))
    return [head, Text("  " + "  ".join(figures_of(lane, oldest="")))]
