"""One look for all pictures: colours that colour-blind readers tell apart, type for paper."""

from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import Any

import altair as alt

from runner.report.answers import Row

LINE_CHARS = 95
"""Of what is said below a title; longer, it would make a narrow picture wide."""
INK = "#222222"
FAINT = "#d9d9d9"
PALETTE = (  # Okabe and Ito, darkest first; its yellow is too light for lines on white
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#000000",
    "#999999",
)
PAGE_TALL_PX = 1140
"""Room for all rows of panels."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3])
FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
CHARS_LABEL = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '.3~g') + 'M' :"
    " datum.value >= 1000 ? format(datum.value / 1000, '.3~g') + 'k' :"
    " format(datum.value, '.3~g')"
)
"""2000 as 2k, for axes of sizes."""

LINES = "split(datum.label, '\\n')"
"""A label of several lines."""
HEADER = alt.Header(labelExpr=LINES)

CONFIG: dict[str, Any] = {
    "font": FONT,
    "background": "white",
    "view": {"stroke": "#bbbbbb", "strokeWidth": 0.5},
    "axis": {
        "labelFontSize": 10,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": "#eeeeee",
        "domainColor": "#888888",
        "tickColor": "#888888",
        "labelColor": INK,
        "titleColor": INK,
    },
    "legend": {
        "labelFontSize": 10,
        "titleFontSize": 10,
        "titleFontWeight": "normal",
        "labelLimit": 260,
    },
    "header": {"labelFontSize": 11, "titleFontSize": 11, "labelColor": INK, "labelLimit": 300},
    "title": {
        "fontSize": 13,
        "anchor": "start",
        "color": INK,
        "subtitleColor": "#666666",
        "subtitleFontSize": 10.5,
        "offset": 10,
    },
}


def finished(chart: Any, *, title: str, about: str, simulated: bool) -> alt.TopLevelMixin:
    """The chart with its title, what it shows in one line, and our look."""
    subtitle = wrap(about, LINE_CHARS)
    if simulated:
        subtitle.insert(0, "SIMULATED DATA: answers of a simulator, not of a model")
    return chart.properties(title=alt.TitleParams(text=title, subtitle=subtitle)).configure(
        **CONFIG
    )


def colours(names: Sequence[str]) -> alt.Scale:
    """A colour for each name, always the same for the same list."""
    return _scale(names, [PALETTE[i % len(PALETTE)] for i in range(len(names))])


def shapes(names: Sequence[str]) -> alt.Scale:
    """A shape for each name; with the colour it is unique for 40 names."""
    return _scale(names, _turning(SHAPES, len(names)))


def dashes(names: Sequence[str]) -> alt.StrokeDashValue:
    """A dash pattern for each name; of a scale the legend would dash its symbols too."""
    patterns = zip(names, _turning(DASHES, len(names)), strict=True)
    tests: Any = [
        {"test": {"field": "who", "equal": name}, "value": pattern} for name, pattern in patterns
    ]
    return alt.StrokeDashValue(condition=tests, value=DASHES[0])


def _turning(kinds: Sequence[Any], wanted: int) -> list[Any]:
    """Neighbours differ, so that of equal lines both are seen; one step further each palette."""
    return [kinds[(i + i // len(PALETTE)) % len(kinds)] for i in range(wanted)]


def _scale(names: Sequence[str], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=list(values))


def share_end(largest: float) -> float:
    """Where an axis of shares ends, so that small ones are seen: the next of a few round ends."""
    return next((end for end in (0.05, 0.1, 0.2, 0.5) if largest <= end), 1.0)


def unit_of(rows: Sequence[Row]) -> str:
    """What sizes are counted in, in words; nothing where rows differ."""
    units = {row.get("size_unit") for row in rows}
    name = next(iter(units)) if len(units) == 1 else None
    return {"chars": " (characters)"}.get(name or "", f" ({name})" if name else "")


def ordered(rows: Sequence[Row], panel: str) -> list[str]:
    """The panels in the order of the papers, as far as rows tell their rank, else by name."""
    found = {(tuple(row.get("panel_rank", ())), row[panel]) for row in rows}
    return list(dict.fromkeys(name for _, name in sorted(found)))


def whole_rows(chart: alt.FacetChart, panels: int, beside: int) -> alt.FacetChart:
    """The chart with an axis under each panel, where the last row of panels is not full.

    Else axes would stand where no panel does.
    """
    if panels <= beside or panels % beside == 0:
        return chart
    whole: Any = chart
    return whole.resolve_axis(x="independent")


def columns(panels: int) -> int:
    """How many panels stand side by side at a paper's width."""
    return panels if panels <= 3 else 3 if panels != 4 else 2


def fitting(panels: int, least: int, row_px: int, *, step: int = 1) -> int:
    """How many panels stand side by side: `least`, or more for a page to hold all rows."""
    enough = (n for n in range(least, panels, step) if ceil(panels / n) * row_px <= PAGE_TALL_PX)
    return next(enough, panels)
