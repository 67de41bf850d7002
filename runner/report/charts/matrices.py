"""For more models than lines can be told apart: a row of cells per model, and a cell per pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import Any

import altair as alt

from runner.report.answers import Row
from runner.report.charts.style import CHARS_LABEL, FAINT, HEADER, INK, columns, ordered, share_end

CELL_PX = 17
MOST_LINES = 8
"""With more than this a line can no longer be followed among the others."""
IN_LINES = "split(datum.label, '.')"
"""A benchmark and its task one above the other."""
DIVERGING = "blueorange"
"""Told apart by colour-blind readers, with white in the middle."""


def crowded(rows: Sequence[Row]) -> bool:
    """Whether there are more models, or pairs of them, than lines that can be told apart."""
    return len({row.get("pair", row.get("who")) for row in rows}) > MOST_LINES


@dataclass(frozen=True, slots=True, kw_only=True)
class Strips:
    """What curves show, with a row per model, a column per size and the value in its cell."""

    y: str
    y_title: str
    panel: str
    x: str
    x_title: str
    domain: tuple[float, float] | None
    percent: bool
    chance: str = ""
    """A column with what guessing would reach; it gets a row of its own, above all models."""

    def chart(self, rows: Sequence[Row]) -> alt.FacetChart:
        """A panel per value of `panel`; a size without a value stays an empty cell."""
        panels = ordered(rows, self.panel)
        names = sorted({row["who"] for row in rows})
        wide = max(len({r[self.x] for r in rows if r[self.panel] == p}) for p in panels)
        layers = [self._empty(), self._cells(rows, alt.Chart()), self._numbers(rows, alt.Chart())]
        if self.chance:
            layers += [self._cells(rows, self._guess()), self._numbers(rows, self._guess())]
        layered: Any = alt.layer(*layers, data=alt.Data(values=list(rows)))
        return (
            layered.properties(
                width=min(max(wide * 34, 100), 240),
                height=(len(names) + bool(self.chance)) * CELL_PX,
            )
            .facet(
                facet=alt.Facet(f"{self.panel}:N", title=None, sort=panels, header=HEADER),
                columns=columns(len(panels)),
            )
            .resolve_scale(x="independent")
        )

    def _axes(self) -> dict[str, Any]:
        axis = alt.Axis(labelExpr=CHARS_LABEL, labelAngle=0, labelOverlap="greedy", ticks=False)
        return {
            "x": alt.X(f"{self.x}:O", title=self.x_title, axis=axis),
            "y": alt.Y("who:N", title=None, axis=alt.Axis(labelLimit=260, ticks=False)),
        }

    def _empty(self) -> alt.Chart:
        empty = alt.Chart().mark_rect(fill="white", stroke=FAINT, strokeWidth=0.5)
        return empty.encode(**self._axes())

    def _guess(self) -> alt.Chart:
        """A row that is there once, whatever the number of models."""
        largest: Any = {self.y: f"max({self.chance})"}
        return (
            alt.Chart()
            .transform_filter(f"isValid(datum.{self.chance})")
            .transform_aggregate(groupby=[self.x, self.panel], **largest)
            .transform_calculate(who="'(chance)'")
        )

    def _cells(self, rows: Sequence[Row], base: alt.Chart) -> alt.Chart:
        shown = ("n_answered", "n", "n_not_evaluated", "ci_low", "ci_high", "bias_low", "bias_high")
        return (
            base.mark_rect(stroke="white", strokeWidth=0.5)
            .transform_filter(f"isValid(datum.{self.y})")
            .encode(
                color=alt.Color(
                    f"{self.y}:Q",
                    title=self.y_title,
                    scale=self._scale(rows),
                    legend=alt.Legend(
                        format=".0%" if self.percent else "~g", gradientLength=110, titleLimit=120
                    ),
                ),
                tooltip=[
                    alt.Tooltip("who:N", title="model"),
                    alt.Tooltip(f"{self.panel}:N"),
                    alt.Tooltip(f"{self.x}:Q"),
                    alt.Tooltip(f"{self.y}:Q", title=self.y_title, format=".3~g"),
                    *(alt.Tooltip(f"{name}:Q") for name in shown if name in rows[0]),
                ],
                **self._axes(),
            )
        )

    def _range(self, rows: Sequence[Row]) -> tuple[float, float]:
        values = [row[self.y] for row in rows if row[self.y] is not None]
        return self.domain or (0, max(values, default=1) or 1)

    def _scale(self, rows: Sequence[Row]) -> alt.Scale:
        low, high = self._range(rows)
        scheme = DIVERGING if low < 0 else "viridis"
        return alt.Scale(scheme=scheme, domain=[low, high], clamp=True)

    def _numbers(self, rows: Sequence[Row], base: alt.Chart) -> alt.Chart:
        low, high = self._range(rows)
        dark = f"datum.{self.y} < {low + (high - low) * 0.55}"
        if low < 0:
            dark = f"abs(datum.{self.y}) > {high * 0.7}"
        number = f"datum.{self.y} * 100, '.0f'" if self.percent else f"datum.{self.y}, '.2~r'"
        return (
            base.mark_text(fontSize=8.5)
            .transform_filter(f"isValid(datum.{self.y})")
            .transform_calculate(shown_value=f"format({number})")
            .encode(
                text="shown_value:N",
                color=alt.condition(dark, alt.value("white"), alt.value("black")),
                **self._axes(),
            )
        )


def length_matrix(rows: Sequence[Row]) -> alt.LayerChart:
    """Effective lengths with a row per model and a column per task and place it is read at."""
    names = {row["who"] for row in rows}
    places = {row["panel"] for row in rows}
    longest = max((row["shown_chars"] or 0 for row in rows), default=0) or 1
    axes: dict[str, Any] = {
        "x": alt.X("panel:N", title=None, axis=alt.Axis(labelAngle=-90, labelExpr=IN_LINES)),
        "y": alt.Y("who:N", title=None, axis=alt.Axis(labelLimit=260)),
    }
    scale = alt.Scale(type="symlog", constant=500, scheme="viridis", domain=[0, longest])
    round_ends = [value for value in (0, 1000, 10_000, 100_000, 1_000_000) if value <= longest]
    legend = alt.Legend(values=round_ends, labelExpr=CHARS_LABEL, gradientLength=110)
    shown = ("effective_chars", "shown_low", "shown_high", "measured_chars", "limit_chars")
    known = alt.Chart().transform_filter("isValid(datum.shown_chars)")
    cells = known.mark_rect(stroke="white", strokeWidth=0.5).encode(
        color=alt.Color("shown_chars:Q", title="characters", scale=scale, legend=legend),
        tooltip=[
            alt.Tooltip("who:N", title="model"),
            alt.Tooltip("panel:N", title="task"),
            *(alt.Tooltip(f"{name}:Q", format=",.0f") for name in shown),
        ],
        **axes,
    )
    dark = f"log(1 + datum.shown_chars / 500) < {0.55 * log1p(longest / 500):.4f}"
    numbers = (
        known.transform_calculate(length="datum.censored + format(datum.shown_chars, '.2~s')")
        .mark_text(fontSize=8)
        .encode(
            text="length:N",
            color=alt.condition(dark, alt.value("white"), alt.value("black")),
            **axes,
        )
    )
    layered: Any = alt.layer(cells, numbers, data=alt.Data(values=list(rows)))
    return layered.properties(width=len(places) * 34, height=len(names) * CELL_PX)


def pair_matrix(rows: Sequence[Row]) -> alt.FacetChart:
    """A cell per pair of models, its row minus its column; a dot where the interval excludes 0."""
    panels = ordered(rows, "panel")
    reach = share_end(max((abs(row["difference"] or 0) for row in rows), default=1))
    across, down = ({row[f"who_{end}"] for row in rows} for end in "ba")
    axes: dict[str, Any] = {
        "x": alt.X("who_b:N", title=None, axis=alt.Axis(labelAngle=-90, labelLimit=260)),
        "y": alt.Y("who_a:N", title=None, axis=alt.Axis(labelLimit=260)),
    }
    shown = ("difference", "ci_low", "ci_high", "n_pairs")
    cells = (
        alt.Chart()
        .mark_rect(stroke="white", strokeWidth=0.5)
        .transform_filter("isValid(datum.difference)")
        .encode(
            color=alt.Color(
                "difference:Q",
                title="row minus column",
                scale=alt.Scale(scheme=DIVERGING, domain=[-reach, reach], clamp=True),
                legend=alt.Legend(gradientLength=110),
            ),
            tooltip=[
                alt.Tooltip("who_a:N"),
                alt.Tooltip("who_b:N"),
                *(alt.Tooltip(f"{name}:Q") for name in shown),
            ],
            **axes,
        )
    )
    dots = (
        alt.Chart()
        .mark_point(size=8, filled=True, color=INK, opacity=1)
        .transform_filter("datum.ci_low > 0 || datum.ci_high < 0")
        .encode(**axes)
    )
    layered: Any = alt.layer(cells, dots, data=alt.Data(values=list(rows)))
    return layered.properties(
        width=max(len(across), 4) * 13, height=max(len(down), 4) * (CELL_PX - 4)
    ).facet(
        facet=alt.Facet("panel:N", title=None, sort=panels, header=HEADER),
        columns=1 if len(panels) == 1 else 2,
    )
