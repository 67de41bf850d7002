"""Bootstrap intervals beside the effective context lengths that SQL reports."""

from collections.abc import Sequence
from typing import Any

from queries.bootstrap import Rule, bootstrap_interval, curves_of
from runner.report.answers import Answers, Row

REFERENCES = {"needles": "reference_needles", "thread_length": "reference_steps"}


def with_intervals(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows of `effective` with effective_low and effective_high, None where not known."""
    settings = answers.rows("settings")[0]
    samples = {_key(row, row["part"]): row for row in answers.rows("effective_seeds")}
    return [_with_interval(row, samples.get(_key(row, _part(row))), settings) for row in rows]


_ASKED = {"true": "reasoning asked", "false": "answer only"}


def asked(condition: str) -> str:
    """What a model was asked for, where a benchmark asks in several ways."""
    return _ASKED.get(condition, condition)


def read_at(row: Row) -> str:
    """Where on the fixed axis an effective length is read, in words."""
    if row["axis"] == "depth":
        return "worst depth"
    if row["axis"] == "cot":
        return asked(row["axis_value"])
    names = {"needles": "needles", "thread_length": "steps", "question": "question"}
    return f"{row['axis_value']} {names.get(row['axis'], '')}".strip()


def _part(row: Row) -> str:
    return row["axis_value"] if row["axis"] in {"cot", "question"} else ""


def _key(row: Row, part: str) -> tuple[Any, ...]:
    return (*(row[name] for name in ("simulated", "provider", "model", "setup", "task")), part)


def _with_interval(row: Row, sample: Row | None, settings: Row) -> Row:
    name = REFERENCES.get(row["axis"])
    rule = Rule(
        threshold=row["threshold"],
        reference=None if name is None else settings[name],
        limit=row["limit_chars"],
        crossing=settings["ecl_crossing"],
    )
    interval = None
    if sample is not None:
        interval = bootstrap_interval(curves_of(*(sample[name] for name in _LISTS)), rule)
    low, high = interval or (None, None)
    estimate = row["effective_chars"]
    if low is not None and high is not None and estimate is not None:
        low, high = min(low, estimate), max(high, estimate)
    return {**row, "effective_low": low, "effective_high": high}


_LISTS = ("xs", "chars", "seeds", "totals", "counts")
