"""Heatmaps: accuracy over length and a second axis, a panel per model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from runner.report.answers import Row
from runner.report.charts.matrices import crowded
from runner.report.charts.style import (
    CHARS_LABEL,
    FAINT,
    HEADER,
    columns,
    fitting,
    ordered,
    unit_of,
    whole_rows,
)

ROOM_FOR_NUMBERS = 8
"""Up to this many sizes the value is also printed in its cell."""
NUMBER_PX = 16
"""Room for a number in its cell."""
LEAST_PX = 100
"""Of a panel's width."""
PAGE_PX = 640
"""Room for the panels of one row, beside names and legend, at a paper's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """Says which column a heatmap takes for what."""

    y: str
    y_title: str
    panel: str = "who"
    value: str = "accuracy"
    value_title: str = "accuracy"
    x: str = "size"
    x_title: str = "size"
    numbers: bool = True
    counted: bool = False
    """Whether `x` counts from 1, one by one, up to where a cell is too narrow for an edge."""
    low_is_good: bool = False

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """A panel per value of `panel`; cells that were planned and have no answer stay empty."""
        panels = ordered(rows, self.panel)
        wide = len({row[self.x] for row in rows})
        numbered = self.numbers and wide <= ROOM_FOR_NUMBERS
        unit = unit_of(rows) if self.x == "size" else ""
        layers = [self._empty(unit), self._cells(rows, unit)]
        if numbered:
            layers.append(self._numbers(unit))
        height = self._height(rows)
        lines = 1 + max(panel.count("\n") for panel in panels)
        beside = self._beside(rows, height + 20 + 13 * lines)
        least = wide * NUMBER_PX if numbered else LEAST_PX
        width = max(min(max(wide * 30, 120), PAGE_PX // beside), least)
        layered: Any = alt.layer(*layers, data=alt.Data(values=list(rows)))
        drawn = layered.properties(width=width, height=height).facet(
            facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
            columns=beside,
            spacing=10 if crowded(rows) else 20,
        )
        return whole_rows(drawn, len(panels), beside)

    def _beside(self, rows: Sequence[Row], row_px: int) -> int:
        """All panels of a model, and of as many models as make the picture fit a page."""
        shown = {(row["who"], row[self.panel]) for row in rows}
        own = max(Counter(who for who, _ in shown).values())
        least = columns(len(shown)) if own == 1 else own * max(4 // own, 1)
        return fitting(len(shown), least, row_px, step=own)

    def _height(self, rows: Sequence[Row]) -> int:
        """Of a panel; its cells are lower where there are many panels."""
        cells = max(len({row[self.y] for row in rows}), 3)
        if not crowded(rows):
            return min(cells * 19, 260)
        return min(cells * (12 if self.numbers else 9), 160)

    def _labels(self) -> str:
        """Of consecutive whole numbers, round ones have a label where there is no room for all."""
        if not self.counted:
            return CHARS_LABEL
        steps = "bandwidth('x') > 16 ? 1 : bandwidth('x') > 4 ? 5 : bandwidth('x') > 1.6 ? 25 : 50"
        return f"datum.value == 1 || datum.value % ({steps}) == 0 ? datum.label : ''"

    def _axes(self, unit: str) -> tuple[alt.X, alt.Y]:
        x = alt.X(
            f"{self.x}:O",
            title=f"{self.x_title}{unit}",
            axis=alt.Axis(
                labelExpr=self._labels(), labelAngle=0, labelOverlap="greedy", ticks=False
            ),
        )
        font = alt.ExprRef("bandwidth('y') < 11 ? 8 : 10")
        axis = alt.Axis(labelOverlap="greedy", ticks=False, labelFontSize=font)
        y = alt.Y(f"{self.y}:O", title=self.y_title, axis=axis)
        return x, y

    def _empty(self, unit: str) -> alt.Chart:
        x, y = self._axes(unit)
        return alt.Chart().mark_rect(fill="white", stroke=FAINT, strokeWidth=0.5).encode(x=x, y=y)

    def _cells(self, rows: Sequence[Row], unit: str) -> alt.Chart:
        x, y = self._axes(unit)
        return (
            alt.Chart()
            .mark_rect(stroke="white", strokeWidth=0 if self.counted else 0.5)
            .transform_filter(f"isValid(datum.{self.value})")
            .encode(
                x=x,
                y=y,
                color=alt.Color(
                    f"{self.value}:Q",
                    title=self.value_title,
                    scale=alt.Scale(
                        scheme="viridis", domain=[0, 1], reverse=self.low_is_good, clamp=True
                    ),
                    legend=alt.Legend(format=".0%", gradientLength=110),
                ),
                tooltip=[
                    alt.Tooltip("who:N", title="model"),
                    alt.Tooltip(f"{self.x}:Q", title=self.x_title),
                    alt.Tooltip(f"{self.y}:N", title=self.y_title),
                    alt.Tooltip(f"{self.value}:Q", title=self.value_title, format=".1%"),
                    *_counts(rows),
                ],
            )
        )

    def _numbers(self, unit: str) -> alt.Chart:
        x, y = self._axes(unit)
        dark = f"datum.{self.value} {'>' if self.low_is_good else '<'} 0.55"
        return (
            alt.Chart()
            .mark_text(fontSize=8.5)
            .transform_filter(f"isValid(datum.{self.value})")
            .encode(
                x=x,
                y=y,
                text=alt.Text("percent:N"),
                color=alt.condition(dark, alt.value("white"), alt.value("black")),
            )
            .transform_calculate(percent=f"format(datum.{self.value} * 100, '.0f')")
        )


def _counts(rows: Sequence[Row]) -> list[alt.Tooltip]:
    titles = {"n_answered": "answers", "n_not_evaluated": "not evaluated", "n": "answers"}
    return [
        alt.Tooltip(f"{name}:Q", title=title)
        for name, title in titles.items()
        if rows and name in rows[0]
    ]
