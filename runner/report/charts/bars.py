"""Bars and dots: shares that add up, money, and differences between models."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from runner.report.answers import Row
from runner.report.charts.style import (
    CHARS_LABEL,
    FAINT,
    HEADER,
    INK,
    LINES,
    PALETTE,
    colours,
    columns,
    ordered,
    shapes,
    share_end,
    whole_rows,
)

ROW_PX = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedBars:
    """Stacked shares over one axis, a panel per value of `panel`."""

    x: str
    x_title: str
    y: str
    part: str
    parts: Sequence[str]
    """In the order they are stacked; parts beyond these follow in grey."""
    panel: str = "panel"
    y_title: str = "share of answers"
    whole: bool = True
    """Whether all parts of a bar are everything."""
    side_by_side: str = ""
    """A column whose values stand beside each other, so that each row is one model."""

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """Draw one bar per value of `x`."""
        panels = ordered(rows, self.panel)
        found = {row[self.part] for row in rows}
        parts = [part for part in self.parts if part in found]
        others = sorted(found - set(parts))
        greys = ["#bdbdbd", "#8f8f8f", "#d9d9d9", "#6f6f6f", "#525252", "#e6e6e6"]
        hues = [PALETTE[self.parts.index(part) % len(PALETTE)] for part in parts]
        scale = alt.Scale(
            domain=[*parts, *others], range=[*hues, *(greys[i % 6] for i in range(len(others)))]
        )
        bars: Any = alt.Chart(alt.Data(values=list(rows))).mark_bar()
        beside = self._columns(rows, len(panels))
        drawn = (
            bars.encode(
                x=alt.X(
                    f"{self.x}:O",
                    title=self.x_title,
                    axis=alt.Axis(labelExpr=CHARS_LABEL, labelAngle=0),
                ),
                y=alt.Y(
                    f"{self.y}:Q",
                    title=self.y_title,
                    stack="zero",
                    scale=self._scale(rows),
                    axis=alt.Axis(format=".0%", tickCount=5),
                ),
                color=alt.Color(
                    f"{self.part}:N",
                    title=None,
                    scale=scale,
                    legend=alt.Legend(orient="bottom", columns=4, symbolLimit=40),
                ),
                order=alt.Order("rank:Q"),
                tooltip=[
                    alt.Tooltip("who:N", title="model"),
                    alt.Tooltip(f"{self.x}:O"),
                    alt.Tooltip(f"{self.part}:N"),
                    alt.Tooltip(f"{self.y}:Q", format=".1%"),
                    alt.Tooltip("n:Q"),
                ],
            )
            .transform_calculate(rank=f"indexof({[*parts, *others]}, datum.{self.part})")
            .properties(width=190, height=140)
            .facet(
                facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
                columns=beside,
            )
        )
        return whole_rows(drawn, len(panels), beside)

    def _columns(self, rows: Sequence[Row], panels: int) -> int:
        beside = len({row[self.side_by_side] for row in rows}) if self.side_by_side else 1
        return columns(panels) if beside == 1 else min(panels, beside * max(4 // beside, 1))

    def _scale(self, rows: Sequence[Row]) -> alt.Scale:
        if self.whole:
            return alt.Scale(domain=(0, 1))
        sums: Counter[tuple[Any, ...]] = Counter()
        for row in rows:
            sums[row[self.panel], row[self.x]] += row[self.y] or 0
        return alt.Scale(domain=(0, share_end(max(sums.values(), default=1))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """Stacked bars that lie, one row per name, so that long names stay readable."""

    x: str
    x_title: str
    part: str
    parts: Sequence[str] = ()
    """In the order they are stacked; parts beyond these follow."""
    panel: str | None = None
    share: bool = False
    pale: str = ""
    """A part that is not there yet."""

    def chart(self, rows: Sequence[Row]) -> Any:
        """Draw one bar per model."""
        found = {row[self.part] for row in rows}
        parts = [part for part in self.parts if part in found]
        parts += sorted(found - set(parts))
        names = {row["who"] for row in rows}
        bars: Any = alt.Chart(alt.Data(values=list(rows))).mark_bar(stroke="white", strokeWidth=0.4)
        chart = (
            bars.encode(
                x=alt.X(
                    f"{self.x}:Q",
                    title=self.x_title,
                    axis=self._axis(),
                    stack="zero",
                    scale=alt.Scale(domainMax=1) if self.share else alt.Undefined,
                ),
                y=alt.Y("who:N", title=None, axis=alt.Axis(labelLimit=260)),
                color=alt.Color(
                    f"{self.part}:N",
                    title=None,
                    scale=alt.Scale(domain=parts, range=self._hues(parts)),
                    legend=alt.Legend(orient="bottom", columns=3, symbolLimit=60),
                ),
                order=alt.Order("rank:Q"),
                tooltip=[
                    alt.Tooltip("who:N", title="model"),
                    alt.Tooltip(f"{self.part}:N"),
                    alt.Tooltip(f"{self.x}:Q", format=".1%" if self.share else "$.4~f"),
                    *(alt.Tooltip(f"{name}:Q") for name in ("n", "n_answered") if name in rows[0]),
                ],
            )
            .transform_calculate(rank=f"indexof({parts}, datum.{self.part})")
            .properties(width=230 if self.panel else 480, height=max(len(names) * ROW_PX, 30))
        )
        if self.panel is None:
            return chart
        panels = ordered(rows, self.panel)
        drawn = chart.facet(
            facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
            columns=min(2, len(panels)),
        )
        return whole_rows(drawn, len(panels), 2)

    def _axis(self) -> alt.Axis:
        return alt.Axis(format=".0%" if self.share else "$,.4~f", tickCount=5)

    def _hues(self, parts: Sequence[str]) -> list[str]:
        """Parts that are known beforehand have the same colour in every picture."""
        known = [part for part in self.parts if part != self.pale]
        order = [*known, *(part for part in parts if part not in self.parts)]
        return [
            FAINT if part == self.pale else _HUES[order.index(part) % len(_HUES)] for part in parts
        ]


_HUES = (
    *PALETTE,
    "#7fb8d8", "#eaae7f", "#7fceb9", "#e5bcd3", "#aad9f4", "#f2cf7f", "#808080", "#cccccc",
)  # fmt: skip
"""The palette, then the same colours lightened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A value with its interval per row of names, a panel per task."""

    value: str
    title: str
    row: str = "who"
    low: str | None = None
    high: str | None = None
    limit: str | None = None
    zero_line: bool = False
    log: bool = False
    hollow: str | None = None
    """A column that is true where the dot is only a lower bound."""
    panel: str = "task"
    row_px: int = ROW_PX
    domain: tuple[float, float] | None = None

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """One dot per name; whiskers are the interval, a tick is the limit."""
        panels = ordered(rows, self.panel)
        names = sorted({row[self.row] for row in rows})
        layers = [self._dots(rows, names, self.domain or self._ends(rows))]
        if self.low is not None:
            layers.insert(0, self._whiskers(names))
        if self.limit is not None:
            layers.insert(0, self._limits())
        if self.zero_line:
            zero = alt.Chart().mark_rule(color="#888888").encode(x=alt.datum(0))
            layers.insert(0, zero)
        layered: Any = alt.layer(*layers, data=alt.Data(values=list(rows)))
        drawn = layered.properties(
            width=420 if len(panels) == 1 else 230, height=max(len(names) * self.row_px, 40)
        ).facet(
            facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
            columns=1 if len(panels) == 1 else 2,
        )
        return whole_rows(drawn, len(panels), 2)

    def _ends(self, rows: Sequence[Row]) -> tuple[float, float]:
        """From 0 to the largest; told, since a browser complains of columns without a number."""
        named = [name for name in (self.value, self.low, self.high, self.limit) if name is not None]
        shown = [row[name] for row in rows for name in named if row[name] is not None]
        return min(0.0, *shown, 0.0), max(1.0, *shown, 1.0)

    def _x(self, domain: tuple[float, float]) -> alt.X:
        scale = alt.Scale(domain=domain)
        if self.log:
            scale = alt.Scale(type="symlog", constant=500, nice=False, padding=6, domain=domain)
        axis = alt.Axis(tickCount=5, labelExpr=CHARS_LABEL, labelOverlap="greedy")
        if self.log:
            axis.values = [0, 1000, 10_000, 100_000, 1_000_000]
        return alt.X(f"{self.value}:Q", title=self.title, scale=scale, axis=axis)

    def _y(self) -> alt.Y:
        return alt.Y(
            f"{self.row}:N", title=None, axis=alt.Axis(labelExpr=LINES, labelLimit=260, grid=True)
        )

    def _dots(
        self, rows: Sequence[Row], names: Sequence[str], domain: tuple[float, float]
    ) -> alt.Chart:
        shown = [name for name in rows[0] if name not in {"provider", "setup", "simulated", "who"}]
        return (
            alt.Chart()
            .mark_point(size=44, opacity=1, strokeWidth=1.5)
            .transform_filter(f"isValid(datum.{self.value})")
            .encode(
                x=self._x(domain),
                fill=self._fill(names),
                y=self._y(),
                color=alt.Color(f"{self.row}:N", scale=colours(names), legend=None),
                shape=alt.Shape(f"{self.row}:N", scale=shapes(names), legend=None),
                tooltip=[alt.Tooltip(f"{name}:N") for name in shown],
            )
        )

    def _fill(self, names: Sequence[str]) -> Any:
        colour = alt.Fill(f"{self.row}:N", scale=colours(names), legend=None)
        if self.hollow is None:
            return colour
        return alt.condition(f"datum.{self.hollow}", alt.value("white"), colour)

    def _whiskers(self, names: Sequence[str]) -> alt.Chart:
        return (
            alt.Chart()
            .mark_rule(strokeWidth=1.5)
            .transform_filter(f"isValid(datum.{self.low})")
            .encode(
                x=alt.X(f"{self.low}:Q", title=self.title),
                x2=f"{self.high}:Q",
                y=self._y(),
                color=alt.Color(f"{self.row}:N", scale=colours(names), legend=None),
            )
        )

    def _limits(self) -> alt.Chart:
        return (
            alt.Chart()
            .mark_tick(color=INK, thickness=1.5, size=ROW_PX - 5)
            .transform_filter(f"isValid(datum.{self.limit})")
            .encode(x=alt.X(f"{self.limit}:Q", title=self.title), y=self._y())
        )
