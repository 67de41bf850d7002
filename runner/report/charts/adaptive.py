"""Pictures with two looks: dots and bars for few models, cells where those would fill pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.report.answers import Row
from runner.report.charts.bars import Dots, StackedBars
from runner.report.charts.matrices import Strips, crowded, length_matrix, pair_matrix
from runner.report.charts.style import share_end


def compared(rows: Sequence[Row]) -> Any:
    """A line per pair, or a matrix of pairs where those lines would fill pages."""
    if crowded(rows):
        return pair_matrix(rows)
    ends = [abs(row[name] or 0) for row in rows for name in ("difference", "ci_low", "ci_high")]
    reach = share_end(max(ends))
    return Dots(
        value="difference",
        title="difference in accuracy",
        row="pair",
        panel="panel",
        row_px=30,
        low="ci_low",
        high="ci_high",
        zero_line=True,
        domain=(-reach, reach),
    ).chart(rows)


def lengths(rows: Sequence[Row]) -> Any:
    """A dot with its interval per model, or a matrix where those would fill pages."""
    if crowded(rows):
        return length_matrix(rows)
    return Dots(
        value="shown_chars",
        title="effective characters",
        hollow="censored",
        low="shown_low",
        high="shown_high",
        limit="limit_chars",
        log=True,
        panel="panel",
    ).chart(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Stacked bars for each model, or a strip of cells for each part where models are many."""

    bars: StackedBars

    def chart(self, rows: Sequence[Row]) -> Any:
        """Draw the chart for few or the one for many."""
        if not crowded(rows):
            return self.bars.chart(rows)
        return Strips(
            y=self.bars.y,
            y_title=self.bars.y_title,
            panel="panel",
            x=self.bars.x,
            x_title=self.bars.x_title,
            domain=None,
            percent=True,
        ).chart(rows)
