"""Which pictures there are: the query behind each, how it is drawn, and how to read it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import altair as alt
from altair.utils.schemapi import debug_mode

from runner.report.answers import Answers, Row, simulated
from runner.report.charts.adaptive import Shares, compared, lengths
from runner.report.charts.bars import Lying, StackedBars
from runner.report.charts.contours import Contours
from runner.report.charts.curves import Curve
from runner.report.charts.heatmaps import Heatmap
from runner.report.charts.matrices import crowded
from runner.report.charts.style import finished
from runner.report.panels import (
    Prepare,
    bounds,
    by_task,
    grouped,
    pairs,
    panels,
    stacked,
    with_frontier,
    with_price,
    with_unit,
)
from runner.terminal import words

Draw = Callable[[Sequence[Row]], Any]
PANELS_ON_A_PAGE = 12
COUNTS = ("n_all", "n_answered", "n_pairs", "n")
"""Columns that say how many a number rests on; the first that there is."""
CROWDED_PANELS_ON_A_PAGE = 6
"""Of panels that have a row for each of many models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One kind of picture."""

    name: str
    """Of its file, and of the query behind it unless `query` says otherwise."""
    title: str
    about: str
    draw: Draw
    about_many: str = ""
    """Said instead, where there are more models than lines can be told apart."""
    query: str = ""
    per_task: bool = False
    """One picture for each task."""
    prepare: Prepare = lambda _, rows: rows

    @property
    def source(self) -> str:
        """Name of the query behind it."""
        return self.query or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure of some rows."""

    name: str
    figure: Figure
    title: str
    rows: Sequence[Row]

    @property
    def about(self) -> str:
        """Tell how the figure is read."""
        many = self.figure.about_many
        about = many if many and crowded(self.rows) else self.figure.about
        return f"{about} {self._counted()}".rstrip()

    def _counted(self) -> str:
        """How many answers or trials what is drawn once rests on, from the fewest to the most."""
        column = next(name for name in COUNTS if any(name in row for row in self.rows))
        counts = [row[column] for row in self.rows if row.get(column)]
        if not counts:
            return ""
        low, high = (words.count(end) for end in (min(counts), max(counts)))
        return f"n = {low}." if low == high else f"n = {low} to {high}."

    def chart(self) -> alt.TopLevelMixin:
        """The chart; built without altair's checks of each part, which take most of the time."""
        with debug_mode(False):
            return finished(
                self.figure.draw(self.rows),
                title=self.title,
                about=self.about,
                simulated=simulated(self.rows),
            )

    def spec(self) -> dict[str, Any]:
        """The one spec that becomes PNG and page alike."""
        made: Any = self.chart()
        spec: dict[str, Any] = made.to_dict(validate=False)
        return spec


def pictures(answers: Answers, *, paged: bool = True) -> Iterator[Picture]:
    """Every picture that the file has rows for; paged, none is much taller than a page."""
    answers.read(answers.names)
    for figure in FIGURES:
        rows = figure.prepare(answers, answers.rows(figure.source))
        if not figure.per_task:
            found = _for_a_page(figure, rows) if paged else _whole(figure, rows)
        else:
            found = _for_tasks(figure, rows)
        for picture in found:
            yield replace(picture, title=f"{picture.title}{answers.condition}")


def _for_tasks(figure: Figure, rows: Sequence[Row]) -> Iterator[Picture]:
    for task, own in grouped(rows, lambda row: row["task"]):
        name, title = f"{figure.name}-{_in_a_file_name(task)}", f"{task}: {figure.title}"
        yield Picture(name=name, figure=figure, title=title, rows=own)


def _in_a_file_name(task: str) -> str:
    """A task under a condition, in letters that every file system takes."""
    return quote(re.sub(r"\)$", "", re.sub(r" \(|, ", "-", task)), safe="=-._")


def _whole(figure: Figure, rows: Sequence[Row]) -> Iterator[Picture]:
    if rows:
        yield Picture(name=figure.name, figure=figure, title=figure.title, rows=rows)


def _for_a_page(figure: Figure, rows: Sequence[Row]) -> Iterator[Picture]:
    """One picture, or one for each benchmark where a page has no room for all panels."""
    shown = {row.get("panel") for row in rows}
    parts = grouped(rows, lambda row: row["task"].partition(".")[0])
    most = CROWDED_PANELS_ON_A_PAGE if crowded(rows) else PANELS_ON_A_PAGE
    if len(shown) <= most or len(parts) == 1:
        yield from _whole(figure, rows)
        return
    for benchmark, own in parts:
        name, title = f"{figure.name}-{benchmark}", f"{figure.title}: {benchmark}"
        yield Picture(name=name, figure=figure, title=title, rows=own)


AXES = {"depth": "depth in %", "needles": "needles", "thread_length": "steps"}

FIGURES: Sequence[Figure] = (
    Figure(
        name="accuracy",
        title="Accuracy over length",
        about="Mean score of answers; band: 95 % interval over haystacks; dashed: chance.",
        about_many="Mean score of answers in %; empty cells have no answer; first row: what"
        " guessing would reach, where that is known.",
        draw=Curve(
            y="accuracy",
            y_title="accuracy",
            band=("ci_low", "ci_high"),
            chance="chance",
            panel="panel",
        ).chart,
        prepare=with_unit,
    ),
    Figure(
        name="effective_context",
        query="effective",
        title="Effective context length",
        about="Characters up to which accuracy stays at the threshold; whiskers: bootstrap,"
        " up to where it was measured; tick: the model's limit; hollow: only a bound, it held or"
        " failed wherever measured.",
        about_many="Characters up to which accuracy stays at the threshold; ≥: it held wherever it"
        " was measured.",
        prepare=bounds,
        draw=lengths,
    ),
    Figure(
        name="depth_heatmap",
        query="depth",
        title="accuracy by length and depth",
        about="Depth 0 % is the start of the context; empty cells have no answer.",
        per_task=True,
        draw=Heatmap(y="depth", y_title="depth (%)", x_title="size").chart,
    ),
    Figure(
        name="needles_heatmap",
        query="needles",
        title="accuracy by length and number of needles",
        about="Mean share of needles found; empty cells have no answer.",
        per_task=True,
        prepare=panels("who", "placement"),
        draw=Heatmap(y="needles", y_title="needles", x_title="size", panel="panel").chart,
    ),
    Figure(
        name="steps_heatmap",
        query="steps",
        title="accuracy by length and steps of the thread",
        about="Mean share of threads followed to their end; empty cells have no answer.",
        per_task=True,
        prepare=panels("who", "direction"),
        draw=Heatmap(
            y="thread_length",
            y_title="steps",
            x_title="size",
            panel="panel",
        ).chart,
    ),
    Figure(
        name="frontier",
        query="contours",
        title="how far the threshold holds",
        about="Colours: accuracy, linear between measured points. Line: the effective length at"
        " each value; white dots: it held wherever it was measured.",
        per_task=True,
        prepare=with_frontier,
        draw=Contours(y_titles=AXES).chart,
    ),
    Figure(
        name="false_bias",
        title="Bias towards False",
        about="(False - True) / answers, less that of the right answers: 0 is unbiased;"
        " band: 95 %.",
        about_many="(False - True) / answers, less that of the right answers: 0 is unbiased.",
        prepare=panels("task", "asked"),
        draw=Curve(
            y="bias",
            y_title="False-bias",
            panel="panel",
            band=("bias_low", "bias_high"),
            domain=(-1, 1),
            zero_line=True,
            percent=False,
            x_title="size (tokens)",
        ).chart,
    ),
    Figure(
        name="refusals",
        title="Refusals",
        about="Share of sendable trials that were refused, blocked, empty, or refused in words.",
        prepare=with_unit,
        draw=Curve(y="rate", y_title="refused", panel="panel").chart,
    ),
    Figure(
        name="answers",
        title="what was answered",
        about="Share of each verdict per length; in brackets: trials without an answer.",
        per_task=True,
        prepare=stacked("answer", "asked"),
        draw=Shares(
            bars=StackedBars(
                x="size",
                x_title="size (tokens)",
                y="share",
                y_title="share of trials",
                part="answer",
                parts=("true", "false", "other", "refused", "other/refused"),
                side_by_side="asked",
            ),
        ).chart,
    ),
    Figure(
        name="reasoning",
        title="Reasoning that was asked for",
        about="Share of replies that answer before reasoning, or leave out a key sentence.",
        prepare=panels("task", "measure"),
        draw=Curve(y="share", y_title="share of replies", panel="panel", x_title="size").chart,
    ),
    Figure(
        name="next_word",
        title="Predicting the next word, and reasoning, over the same lengths",
        about="Each dot is one length.",
        draw=Curve(
            y="reasoning",
            y_title="reasoning accuracy",
            x="next_word",
            x_title="next-word accuracy",
            domain=(0, 1),
            log_x=False,
            joined=False,
        ).chart,
    ),
    Figure(
        name="chain_errors",
        title="how chains fail",
        about="Share of all answers, by kind of error; the rest is right.",
        per_task=True,
        prepare=stacked("error", "question"),
        draw=Shares(
            bars=StackedBars(
                x="k",
                x_title="needles",
                y="share",
                part="error",
                parts=("calculation error", "needle omission", "instruction not followed"),
                whole=False,
                side_by_side="question",
            ),
        ).chart,
    ),
    Figure(
        name="chain_positions",
        query="positions",
        title="needles that replies leave out, by position",
        about="Share of all replies that do not name the person at this position.",
        per_task=True,
        prepare=panels("who", "question", "name_order"),
        draw=Heatmap(
            y="k",
            y_title="needles",
            x="position",
            x_title="position",
            panel="panel",
            value="missing",
            value_title="left out",
            numbers=False,
            counted=True,
            low_is_good=True,
        ).chart,
    ),
    Figure(
        name="chain_length",
        title="Tokens written per chain",
        about="Mean of visible and reasoning tokens.",
        prepare=panels("task", "question"),
        draw=Curve(
            y="mean_tokens",
            y_title="tokens",
            x="k",
            x_title="needles",
            panel="panel",
            domain=None,
            percent=False,
        ).chart,
    ),
    Figure(
        name="compare",
        title="Differences on the same prompts",
        about="Mean of first minus second model; whiskers: interval, clustered by haystack.",
        about_many="Mean of the row's model minus the column's; dot: its interval, clustered"
        " by haystack, excludes 0.",
        prepare=pairs,
        draw=compared,
    ),
    Figure(
        name="cost",
        title="What it cost",
        about="Dollars per task, all attempts; models without a known price are left out.",
        prepare=with_price,
        draw=Lying(x="cost_usd", x_title="dollars", part="part").chart,
    ),
    Figure(
        name="latency",
        title="Seconds per answer",
        about="Median seconds from sending to the end of the reply.",
        draw=Curve(
            y="p50_s", y_title="seconds (median)", domain=None, percent=False, panel="panel"
        ).chart,
        prepare=with_unit,
    ),
    Figure(
        name="outcomes",
        title="How trials ended",
        about="Share of planned trials; only answered and truncated ones count in accuracy.",
        prepare=by_task,
        draw=Lying(
            x="share",
            x_title="share of planned trials",
            part="outcome",
            parts=("answered", "truncated", "refused", "empty", "pending"),
            panel="panel",
            share=True,
            pale="pending",
        ).chart,
    ),
)
