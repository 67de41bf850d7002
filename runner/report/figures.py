"""Which pictures there are: the query behind each, how it is drawn, and how to read it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from runner.report.answers import Answers, Row, simulated
from runner.report.bars import Dots, Lying, Stack
from runner.report.contours import Contours, fills
from runner.report.curves import Curve
from runner.report.heatmaps import Heatmap
from runner.report.intervals import read_at, with_intervals
from runner.report.strips import crowded, pair_matrix
from runner.report.style import finished

Draw = Callable[[Sequence[Row]], Any]


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
    prepare: Callable[[Answers, Sequence[Row]], Sequence[Row]] = lambda _, rows: rows

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
        """How to read it."""
        many = self.figure.about_many
        return many if many and crowded(self.rows) else self.figure.about

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


def pictures(answers: Answers) -> Iterator[Picture]:
    """Every picture that the file has rows for."""
    answers.read(answers.names)
    for figure in FIGURES:
        rows = figure.prepare(answers, answers.rows(figure.source))
        if not figure.per_task:
            if rows:
                yield Picture(name=figure.name, figure=figure, title=figure.title, rows=rows)
            continue
        for task in sorted({row["task"] for row in rows}):
            own = [row for row in rows if row["task"] == task]
            yield Picture(
                name=f"{figure.name}-{task}",
                figure=figure,
                title=f"{task}: {figure.title}",
                rows=own,
            )


def _panels(*columns: str) -> Callable[[Answers, Sequence[Row]], Sequence[Row]]:
    """Adds `panel`, the named columns in one line."""

    def add(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
        return [
            {
                **row,
                "panel": _in_lines([row[name] for name in columns if row[name] is not None]),
            }
            for row in rows
        ]

    return add


def _in_lines(parts: Sequence[str]) -> str:
    """The first of three or two alone in its line, where a model's name may be long."""
    return f"{parts[0]}\n{' · '.join(parts[1:])}".rstrip()


def _with_unit(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    return [{**row, "panel": f"{row['task']} ({row['size_unit']})"} for row in rows]


AXES = {"depth": "depth in %", "needles": "needles", "thread_length": "steps"}


_NAMED = ("provider", "model", "setup", "simulated", "who", "task", "axis")


def _with_frontier(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """Filled areas, and the line; a length never exceeded stands where measuring ended."""
    filled = fills(rows)
    drawn = {(row["task"], row["who"]) for row in filled}
    line = [
        {
            **row,
            "shown_chars": row["measured_chars" if row["never_below"] else "effective_chars"],
        }
        for row in answers.rows("frontier")
        if (row["task"], row["who"]) in drawn
    ]
    tasks = {task for task, _ in drawn}
    bare = [  # a model with too few answers for an area keeps its panel, empty
        {name: row[name] for name in _NAMED}
        for row in rows
        if row["task"] in tasks and (row["task"], row["who"]) not in drawn
    ]
    return [*filled, *line, *bare]


def _bounds(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows with intervals; dots and whiskers end where measuring ended, not at the limit."""
    return [
        {
            **row,
            "panel": f"{row['task']}, {read_at(row)}".rstrip(", "),
            "shown_chars": row["measured_chars" if row["never_below"] else "effective_chars"],
            "shown_low": _at_most(row["effective_low"], row["measured_chars"]),
            "shown_high": _at_most(row["effective_high"], row["measured_chars"]),
        }
        for row in with_intervals(answers, rows)
    ]


def _at_most(chars: float | None, measured: float) -> float | None:
    return None if chars is None else min(chars, measured)


def _pairs(_: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    return [{**row, "pair": f"{row['who_a']}\n− {row['who_b']}"} for row in rows]  # noqa: RUF001


def _compared(rows: Sequence[Row]) -> Any:
    """A line per pair, or a matrix of pairs where those lines would fill pages."""
    if crowded(rows):
        return pair_matrix(rows)
    return Dots(
        value="difference",
        title="difference in accuracy",
        row="pair",
        row_px=30,
        low="ci_low",
        high="ci_high",
        zero_line=True,
        domain=(-1, 1),
    ).chart(rows)


FIGURES: Sequence[Figure] = (
    Figure(
        name="accuracy",
        title="Accuracy over length",
        about="Mean score of answers; band: 95 % interval over haystacks; dashed: chance.",
        about_many="Mean score of answers in %; empty cells have no answer.",
        draw=Curve(
            y="accuracy",
            y_title="accuracy",
            band=("ci_low", "ci_high"),
            chance="chance",
            panel="panel",
        ).chart,
        prepare=_with_unit,
    ),
    Figure(
        name="effective_context",
        query="effective",
        title="Effective context length",
        about="Characters up to which accuracy stays at the threshold; whiskers: 95 % bootstrap,"
        " up to where it was measured; tick: the model's limit; hollow: it held wherever measured.",
        prepare=_bounds,
        draw=Dots(
            value="shown_chars",
            title="effective characters",
            hollow="never_below",
            low="shown_low",
            high="shown_high",
            limit="limit_chars",
            log=True,
            panel="panel",
        ).chart,
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
        prepare=_panels("who", "placement"),
        draw=Heatmap(
            y="needles", y_title="needles", x_title="size", panel="panel", side_by_side="placement"
        ).chart,
    ),
    Figure(
        name="steps_heatmap",
        query="steps",
        title="accuracy by length and steps of the thread",
        about="Mean share of threads followed to their end; empty cells have no answer.",
        per_task=True,
        prepare=_panels("who", "direction"),
        draw=Heatmap(
            y="thread_length",
            y_title="steps",
            x_title="size",
            panel="panel",
            side_by_side="direction",
        ).chart,
    ),
    Figure(
        name="frontier",
        query="contours",
        title="how far the threshold holds",
        about="Colours: accuracy, linear between measured points. Line: the effective length at"
        " each value; white dots: it held wherever it was measured.",
        per_task=True,
        prepare=_with_frontier,
        draw=Contours(y_titles=AXES).chart,
    ),
    Figure(
        name="false_bias",
        title="Bias towards False",
        about="(False - True) / answers, of balanced questions: 0 is unbiased; band: 95 %.",
        about_many="(False - True) / answers, of balanced questions: 0 is unbiased.",
        prepare=_panels("task", "asked"),
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
        prepare=_with_unit,
        draw=Curve(y="rate", y_title="refused", panel="panel").chart,
    ),
    Figure(
        name="answers",
        title="What was answered",
        about="Share of each verdict per length; in brackets: trials without an answer.",
        prepare=_panels("who", "task", "asked"),
        draw=Stack(
            x="size",
            x_title="size (tokens)",
            y="share",
            y_title="share of trials",
            part="answer",
            parts=("true", "false", "other", "refused", "other/refused"),
        ).chart,
    ),
    Figure(
        name="reasoning",
        title="Reasoning that was asked for",
        about="Share of replies that answer before reasoning, or leave out a key sentence.",
        prepare=_panels("task", "measure"),
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
        title="How chains fail",
        about="Share of all answers, by kind of error; the rest is right.",
        prepare=_panels("who", "task", "question"),
        draw=Stack(
            x="k",
            x_title="needles",
            y="share",
            part="error",
            parts=("calculation error", "needle omission", "instruction not followed"),
        ).chart,
    ),
    Figure(
        name="chain_positions",
        query="positions",
        title="needles that replies leave out, by position",
        about="Share of all replies that do not name the person at this position.",
        per_task=True,
        prepare=_panels("who", "question", "name_order"),
        draw=Heatmap(
            y="k",
            y_title="needles",
            x="position",
            x_title="position",
            panel="panel",
            value="missing",
            value_title="left out",
            numbers=False,
            low_is_good=True,
            side_by_side="name_order",
        ).chart,
    ),
    Figure(
        name="chain_length",
        title="Tokens written per chain",
        about="Mean of visible and reasoning tokens.",
        prepare=_panels("task", "question"),
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
        about="Mean of first minus second model; whiskers: 95 %, clustered by haystack.",
        about_many="Mean of the row's model minus the column's; dot: the 95 % interval, clustered"
        " by haystack, excludes 0.",
        prepare=_pairs,
        draw=_compared,
    ),
    Figure(
        name="cost",
        title="What it cost",
        about="Dollars per task, all attempts; models without a known price are left out.",
        prepare=lambda _, rows: [row for row in rows if row["cost_usd"] is not None],
        draw=Lying(x="cost_usd", x_title="dollars", part="task").chart,
    ),
    Figure(
        name="latency",
        title="Seconds per answer",
        about="Median seconds from sending to the end of the reply.",
        draw=Curve(
            y="p50_s", y_title="seconds (median)", domain=None, percent=False, panel="panel"
        ).chart,
        prepare=_with_unit,
    ),
    Figure(
        name="outcomes",
        title="How trials ended",
        about="Share of planned trials; only answered and truncated ones count in accuracy.",
        draw=Lying(
            x="share",
            x_title="share of planned trials",
            part="outcome",
            parts=("answered", "truncated", "refused", "empty", "pending"),
            panel="task",
            share=True,
        ).chart,
    ),
)
