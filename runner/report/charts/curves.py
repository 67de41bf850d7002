"""Curves over the length of the context, a panel per task, a colour per model."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import orjson

from runner.report.answers import Row
from runner.report.charts.matrices import Strips, crowded
from runner.report.charts.style import (
    CHARS_LABEL,
    HEADER,
    colours,
    columns,
    dashes,
    ordered,
    shapes,
)
from runner.report.charts.ticks import PADDING_PX, ticks

BANDS_FOR = 6
"""With more models than this, bands would only cover each other."""
BREAK: Any = "break-paths-filter-domains"
"""No line is drawn through a size that was asked for and has no answer."""
LOG_FROM = 12
"""A ratio of largest to smallest size above which lengths are spaced by their logarithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Says which column a curve takes for what."""

    y: str
    y_title: str
    panel: str = "task"
    x: str = "size"
    x_title: str = "size"
    band: tuple[str, str] | None = None
    domain: tuple[float, float] | None = (0, 1)
    percent: bool = True
    chance: str | None = None
    zero_line: bool = False
    hollow: str | None = None
    """Points where this column holds are drawn hollow."""
    log_x: bool = True
    joined: bool = True
    """Whether a line joins the points of a model."""

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """A panel per value of `panel`, each with its own lengths."""
        names = sorted({row["who"] for row in rows})
        if self.joined and crowded(rows):
            return self._strips().chart(rows)
        return self._curves(rows, names)

    def _strips(self) -> Strips:
        return Strips(
            y=self.y,
            y_title=self.y_title,
            panel=self.panel,
            x=self.x,
            x_title=self.x_title,
            domain=self.domain,
            percent=self.percent,
            chance=self.chance or "",
        )

    def _curves(self, rows: Sequence[Row], names: Sequence[str]) -> alt.FacetChart:
        panels = ordered(rows, self.panel)
        layers = [self._points(rows, names)]
        if self.joined:
            layers.insert(0, self._lines(rows, names))
        if self.band is not None and len(names) <= BANDS_FOR:
            layers.insert(0, self._bands(rows, names))
        if self.band is not None and self.joined:
            layers.insert(0, self._whiskers(rows, names))
        if self.chance is not None:  # over the curves, so that one that lies on it hides nothing
            layers.insert(len(layers) - 1, self._chance(rows, self.chance))
        if self.zero_line:
            layers.insert(0, _zero())
        if self.hollow is not None:
            layers.append(self._holes(rows, self.hollow))
        layered: Any = alt.layer(*layers, data=alt.Data(values=list(rows)))
        return (
            layered.properties(width=_width(panels), height=240 if len(panels) == 1 else 150)
            .facet(
                facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
                columns=columns(len(panels)),
            )
            .resolve_scale(x="independent")
        )

    def _x(self, rows: Sequence[Row]) -> alt.X:
        sizes = [row[self.x] for row in rows if row[self.x]]
        spread = max(sizes) / min(sizes) if sizes and min(sizes) > 0 else 1
        log = self.log_x and spread >= LOG_FROM
        axis = self._swept(rows, log)
        scale = alt.Scale(zero=False, nice=False, padding=PADDING_PX)
        if log:
            scale = alt.Scale(type="log", nice=False, padding=PADDING_PX)
        if not self.joined:
            scale = alt.Scale(domain=(0, 1))
            axis = alt.Axis(format=".0%", tickCount=5, grid=False)
        return alt.X(f"{self.x}:Q", title=self.x_title, scale=scale, axis=axis)

    def _swept(self, rows: Sequence[Row], log: bool) -> alt.Axis:
        """Ticks at the sizes of each panel; Vega calls a panel's own name `parent`."""
        panels = ordered(rows, self.panel)
        sized = [(row[self.panel], row[self.x]) for row in rows if row[self.x]]
        width = _width(panels)
        shown = {
            panel: ticks((x for name, x in sized if name == panel), width=width, logarithmic=log)
            for panel in panels
        }
        values = alt.ExprRef(f"{orjson.dumps(shown).decode()}[parent.{self.panel}]")
        return alt.Axis(labelExpr=CHARS_LABEL, labelOverlap=False, grid=False, values=values)

    def _y(self) -> alt.Y:
        scale = alt.Scale() if self.domain is None else alt.Scale(domain=self.domain)
        axis = alt.Axis(format=".0%", tickCount=5)
        if not self.percent:
            axis = alt.Axis(labelExpr=CHARS_LABEL, tickCount=5)
        return alt.Y(f"{self.y}:Q", title=self.y_title, scale=scale, axis=axis)

    def _color(self, names: Sequence[str]) -> alt.Color:
        return alt.Color("who:N", title=None, scale=colours(names), legend=_legend(names))

    def _lines(self, rows: Sequence[Row], names: Sequence[str]) -> alt.Chart:
        return (
            alt.Chart()
            .mark_line(strokeWidth=1.6, invalid=BREAK)
            .encode(
                x=self._x(rows),
                y=self._y(),
                color=self._color(names),
                strokeDash=dashes(names),
            )
        )

    def _points(self, rows: Sequence[Row], names: Sequence[str]) -> alt.Chart:
        shown = [name for name in ("n_answered", "n", "n_not_evaluated") if name in rows[0]]
        return (
            alt.Chart()
            .mark_point(filled=True, size=34, opacity=1)
            .transform_filter(f"isValid(datum.{self.y})")
            .encode(
                x=self._x(rows),
                y=self._y(),
                color=self._color(names),
                shape=alt.Shape("who:N", title=None, scale=shapes(names), legend=_legend(names)),
                tooltip=[
                    alt.Tooltip("who:N", title="model"),
                    alt.Tooltip(f"{self.panel}:N"),
                    alt.Tooltip(f"{self.x}:Q"),
                    alt.Tooltip(
                        f"{self.y}:Q",
                        title=self.y_title,
                        format=".1%" if self.percent else ".3~g",
                    ),
                    *(alt.Tooltip(f"{name}:Q") for name in (*(self.band or ()), *shown)),
                ],
            )
        )

    def _holes(self, rows: Sequence[Row], hollow: str) -> alt.Chart:
        return (
            alt.Chart()
            .mark_point(filled=True, size=9, opacity=1, color="white", shape="circle")
            .transform_filter(f"isValid(datum.{self.y}) && datum.{hollow}")
            .encode(x=self._x(rows), y=self._y())
        )

    def _bands(self, rows: Sequence[Row], names: Sequence[str]) -> alt.Chart:
        low, high = self.band or ("", "")
        return (
            alt.Chart()
            .mark_area(opacity=0.16, invalid=BREAK)
            .encode(
                x=self._x(rows),
                y=alt.Y(f"{low}:Q", title=self.y_title),
                y2=f"{high}:Q",
                color=self._color(names),
            )
        )

    def _whiskers(self, rows: Sequence[Row], names: Sequence[str]) -> alt.Chart:
        """The interval of a single size, where a band would have no width."""
        low, high = self.band or ("", "")
        return (
            alt.Chart()
            .mark_rule(strokeWidth=1.4)
            .transform_filter(f"isValid(datum.{self.y}) && isValid(datum.{low})")
            .transform_joinaggregate(sizes="count()", groupby=["who", self.panel])
            .encode(
                # Not left out by a filter: a panel without a row has no end that a browser likes.
                opacity=alt.condition("datum.sizes == 1", alt.value(1), alt.value(0)),
                x=self._x(rows),
                y=alt.Y(f"{low}:Q", title=self.y_title),
                y2=f"{high}:Q",
                color=self._color(names),
            )
        )

    def _chance(self, rows: Sequence[Row], chance: str) -> alt.Chart:
        return (
            alt.Chart()
            .mark_line(strokeDash=[4, 3], color="#555555", strokeWidth=1.2)
            .encode(x=self._x(rows), y=alt.Y(f"mean({chance}):Q", title=self.y_title))
        )


def _width(panels: Collection[str]) -> int:
    return 420 if len(panels) == 1 else 210


def _zero() -> alt.Chart:
    return alt.Chart().mark_rule(color="#888888", strokeWidth=1).encode(y=alt.datum(0))


def _legend(names: Sequence[str]) -> alt.Legend | None:
    if len(names) == 1:
        return None
    return alt.Legend(
        orient="bottom",
        columns=4,
        symbolLimit=60,
        symbolOpacity=1,
        symbolStrokeWidth=1.6,
    )
