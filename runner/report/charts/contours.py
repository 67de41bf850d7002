"""Filled contours of accuracy over length and a second axis, with the frontier drawn into them.

Between measured points accuracy is linear, as in the frontier's own rule: along the length exactly,
along the second axis in narrow strips. What lies beyond the measured points stays empty.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt

from runner.report.answers import Row
from runner.report.charts.curves import LOG_FROM
from runner.report.charts.style import CHARS_LABEL, INK, columns, fitting, whole_rows

HEAD_PX = 45
"""From one row of panels to the next."""
STRIPS = 40
ROUND = "indexof('125', slice(format(datum.value, '.0e'), 0, 1)) >= 0"
"""Of the many ticks of a logarithmic axis only 1, 2 and 5 have room for their label."""
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Knots = list[tuple[float, float]]
"""Lengths in characters, ascending, with the accuracy there."""


def fills(rows: Sequence[Row]) -> list[Row]:
    """Rectangles of one level each, for every model and task of the rows of `contours`."""
    grouped: dict[tuple[Any, ...], dict[float, Knots]] = defaultdict(lambda: defaultdict(list))
    shown: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in ("simulated", "provider", "who", "task"))
        shown[key] = row
        grouped[key][row["x"]].append((row["chars"], row["accuracy"]))
    kept = ("provider", "model", "setup", "simulated", "who", "task", "axis")
    return [
        {**{name: shown[key][name] for name in kept}, **rectangle}
        for key, lines in grouped.items()
        for rectangle in _rectangles({x: sorted(knots) for x, knots in lines.items()})
    ]


def _rectangles(lines: dict[float, Knots]) -> Iterator[Row]:
    xs = sorted(lines)
    step = (xs[-1] - xs[0]) / STRIPS
    for strip in range(STRIPS if step else 1):
        low, high = xs[0] + strip * step, xs[0] + (strip + 1) * step
        for begin, end, level in _runs(_between(lines, xs, (low + high) / 2)):
            edges = {"low": low, "high": high, "begin": begin, "end": end}
            # A page holds thousands of them, and nobody sees a hundredth of a character.
            yield {**{name: round(at, 2) for name, at in edges.items()}, "level": level}


def _between(lines: dict[float, Knots], xs: Sequence[float], at: float) -> Knots:
    """The line at a value between two measured ones, over the lengths that both have."""
    below = max(x for x in xs if x <= at)
    above = min(x for x in xs if x >= at)
    if below == above:
        return lines[below]
    share = (at - below) / (above - below)
    here, there = dict(lines[below]), dict(lines[above])
    return [(c, a + (there[c] - a) * share) for c, a in here.items() if c in there]


def _runs(knots: Knots) -> Iterator[tuple[float, float, float]]:
    """Stretches of the line within one level, neighbours of one level joined."""
    run: tuple[float, float, float] | None = None
    for begin, end, level in _pieces(knots):
        if run is not None and run[2] == level:
            run = (run[0], end, level)
            continue
        if run is not None:
            yield run
        run = (begin, end, level)
    if run is not None:
        yield run


def _pieces(knots: Knots) -> Iterator[tuple[float, float, float]]:
    for (c0, a0), (c1, a1) in pairwise(knots):
        cuts = sorted(
            (level - a0) / (a1 - a0) for level in LEVELS if min(a0, a1) < level < max(a0, a1)
        )
        shares = [0.0, *cuts, 1.0]
        for s0, s1 in pairwise(shares):
            middle = a0 + (a1 - a0) * (s0 + s1) / 2
            yield c0 + (c1 - c0) * s0, c0 + (c1 - c0) * s1, _level(middle)


def _level(accuracy: float) -> float:
    return max((level for level in LEVELS[:-1] if level <= accuracy), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contours:
    """A panel per model of one task: `fills`, and the rows of `frontier` as a line over them."""

    y_titles: dict[str, str]
    """By axis."""

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """Length runs to the right, the second axis upwards."""
        panels = sorted({row["who"] for row in rows})
        filled = [row for row in rows if "level" in row]
        layers = [self._fills(filled), *self._frontier(filled, rows)]
        layered: Any = alt.layer(*layers, data=alt.Data(values=list(rows)))
        width, height = (420, 220) if len(panels) == 1 else (190, 120)
        beside = fitting(len(panels), columns(len(panels)), height + HEAD_PX)
        drawn = layered.properties(width=width, height=height).facet(
            facet=alt.Facet("who:N", title=None, sort=panels), columns=beside
        )
        return whole_rows(drawn, len(panels), beside)

    def _x(self, filled: Sequence[Row], column: str) -> alt.X:
        first, last = _range(filled, "begin", "end")
        log = first > 0 and last / first >= LOG_FROM
        scale = alt.Scale(type="log" if log else "linear", domain=[first, last], nice=False)
        ticks = {"condition": {"test": ROUND, "value": 1}, "value": 0} if log else 1
        axis: Any = alt.Axis(
            labelExpr=f"({ROUND}) ? ({CHARS_LABEL}) : ''" if log else CHARS_LABEL,
            tickCount=5,
            labelOverlap="greedy",
            grid=False,
            tickOpacity=ticks,
        )
        return alt.X(f"{column}:Q", title="characters", scale=scale, axis=axis)

    def _y(self, filled: Sequence[Row], column: str) -> alt.Y:
        low, high = _range(filled, "low", "high")
        title = self.y_titles[filled[0]["axis"]]
        # As in the heatmaps: what is least stands at the top.
        scale = alt.Scale(domain=[low, high], nice=False, reverse=True)
        axis = alt.Axis(tickCount=5, grid=False)
        return alt.Y(f"{column}:Q", title=title, scale=scale, axis=axis)

    def _fills(self, filled: Sequence[Row]) -> alt.Chart:
        return (
            alt.Chart()
            .mark_rect(strokeWidth=0.5)  # in its own colour, which closes the seams
            .transform_filter("isValid(datum.level)")
            .encode(
                x=self._x(filled, "begin"),
                x2="end:Q",
                y=self._y(filled, "low"),
                y2="high:Q",
                stroke=alt.Stroke("level:Q", title="accuracy", scale=_SCALE, legend=_LEGEND),
                fill=alt.Fill(
                    "level:Q",
                    title="accuracy",
                    scale=_SCALE,
                    legend=_LEGEND,
                ),
            )
        )

    def _frontier(self, filled: Sequence[Row], rows: Sequence[Row]) -> Iterator[alt.Chart]:
        shown = [
            alt.Tooltip("who:N", title="model"),
            alt.Tooltip("x:Q", title=self.y_titles[filled[0]["axis"]]),
            alt.Tooltip("shown_chars:Q", title="effective characters"),
            alt.Tooltip("threshold:Q", format=".0%"),
        ]
        first, last = _range(filled, "begin", "end")
        inside = f"isValid(datum.shown_chars) && datum.shown_chars <= {last}"
        line = (
            alt.Chart()
            .transform_filter(inside)
            .transform_calculate(drawn=f"max(datum.shown_chars, {first})")
            .encode(x=self._x(filled, "drawn"), y=self._y(filled, "x"), order="x:Q")
        )
        for colour, width in (("white", 4), (INK, 2)):
            yield line.mark_line(color=colour, strokeWidth=width, strokeJoin="round", clip=True)
        yield line.mark_point(size=30, filled=True, color=INK, opacity=1).encode(tooltip=shown)
        if any(row.get("never_below") for row in rows):
            yield line.mark_point(size=9, filled=True, color="white", opacity=1).transform_filter(
                f"{inside} && datum.never_below"
            )


def _range(filled: Sequence[Row], low: str, high: str) -> tuple[float, float]:
    return min(row[low] for row in filled), max(row[high] for row in filled)


_VIRIDIS = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e",
    "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26",
)  # fmt: skip
"""Ten steps of viridis, which keeps its order in grey and for colour-blind readers."""
_SCALE = alt.Scale(type="threshold", domain=list(LEVELS[1:-1]), range=list(_VIRIDIS))
_LEGEND = alt.Legend(format=".0%", gradientLength=140)
