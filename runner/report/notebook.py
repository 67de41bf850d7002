"""Results in a notebook: `from runner import open_results`, then `.sql`, `.accuracy`, `.chart`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import altair as alt
import duckdb
import vl_convert

from queries.catalog import QueryError, views
from queries.reading import open_with_views
from queries.split import Split, accuracy_by
from runner.errors import UsageError
from runner.report.answers import Answers, Narrow
from runner.report.figures import FIGURES, pictures
from runner.report.files import SCALE
from state.store import StoreError

MIME = "application/vnd.vegalite.v6+json"
"""What notebooks draw themselves; others show the SVG that comes with it."""


class Drawing:
    """A chart that a notebook shows without asking the network; `.altair` is the chart itself."""

    def __init__(self, chart: alt.TopLevelMixin) -> None:
        self.altair = chart

    def to_dict(self) -> dict[str, Any]:
        """Its Vega-Lite spec, rows included."""
        spec: dict[str, Any] = self.altair.to_dict()
        return spec

    def save(self, path: str | Path) -> None:
        """Write a .png or .svg file."""
        target = Path(path)
        if target.suffix == ".png":
            target.write_bytes(vl_convert.vegalite_to_png(self.to_dict(), scale=SCALE))
        elif target.suffix == ".svg":
            target.write_text(vl_convert.vegalite_to_svg(self.to_dict()), "utf-8")
        else:
            raise UsageError(f"{target}: a chart is saved as .png or .svg")

    def _repr_mimebundle_(self, **_: Any) -> Mapping[str, Any]:
        return self.bundle()

    def bundle(self) -> Mapping[str, Any]:
        """The same chart in the forms that notebooks take."""
        spec = self.to_dict()
        return {MIME: spec, "image/svg+xml": vl_convert.vegalite_to_svg(spec)}


class Results:
    """A file of results, open for reading; also while a sweep writes it."""

    def __init__(
        self,
        path: Path,
        folder: Path | None = None,
        threshold: float | None = None,
        interval: str | None = None,
    ) -> None:
        try:
            self._reader = open_with_views(path, folder, threshold, interval)
            self._views = views(folder, threshold, interval)
        except (StoreError, QueryError) as error:
            raise UsageError(str(error)) from error
        self.path = path

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection behind it."""
        return self._reader.connection

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """A query over tables and views; `.df()`, `.pl()` and `.arrow()` give frames."""
        return self.connection.sql(query)

    def accuracy(
        self, *, by: str | Sequence[str] | None = None, where: str | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Accuracy with its interval per model, task and size, and per value of the axes in `by`.

        Left out, tasks are split by the axes that their papers keep apart; an axis is a column.
        """
        split = Split.told(by, where)
        try:
            return self.sql(accuracy_by(self.connection, self._views, split))
        except QueryError as error:
            raise UsageError(str(error)) from error

    def effective_context(self) -> duckdb.DuckDBPyRelation:
        """How far each model holds the threshold, per task."""
        return self.sql("select * from effective_context order by task, provider, model")

    def charts(
        self,
        *,
        model: str | None = None,
        task: str | None = None,
        by: str | Sequence[str] | None = None,
        where: str | None = None,
    ) -> list[str]:
        """Names of the pictures that there are rows for."""
        answers = self._answers(model, task, Split.told(by, where))
        return [picture.name for picture in pictures(answers, paged=False)]

    def chart(
        self,
        name: str = "accuracy",
        *,
        model: str | None = None,
        task: str | None = None,
        by: str | Sequence[str] | None = None,
        where: str | None = None,
    ) -> "Drawing":
        """The picture of that name, as in the report; a notebook shows it by itself.

        A name of several pictures, like `depth_heatmap`, needs a task where there are many.
        """
        answers = self._answers(model, task, Split.told(by, where))
        drawn = list(pictures(answers, paged=False))
        found = [it for it in drawn if name in {it.name, it.figure.name}]
        if len(found) == 1:
            return Drawing(found[0].chart())
        names = ", ".join(it.name for it in (found or drawn)) or "none: nothing is measured yet"
        known = any(figure.name == name for figure in FIGURES)
        wrong = "is several charts" if found else "has no rows" if known else "is no chart"
        raise UsageError(f"{name!r} {wrong}; there are: {names}")

    def _answers(self, model: str | None, task: str | None, split: Split) -> Answers:
        try:
            return Answers(self.connection, Narrow(model=model, task=task), self._views, split)
        except QueryError as error:
            raise UsageError(str(error)) from error

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<results of {self.path}: .sql(query), .accuracy(), .chart(name), .charts()>"

    def _repr_mimebundle_(self, **_: Any) -> Mapping[str, Any]:
        """In a notebook the accuracy chart stands for the file."""
        return self.chart().bundle()


def open_results(
    path: str | Path,
    *,
    views: str | Path | None = None,
    threshold: float | None = None,
    interval: Literal["cluster", "wilson"] | None = None,
) -> Results:
    """The results in a file, read-only; with own views, another threshold, or other intervals.

    Raises UsageError in one clear line.
    """
    return Results(Path(path), None if views is None else Path(views), threshold, interval)
