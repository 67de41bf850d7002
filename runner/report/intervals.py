"""Bootstrap intervals beside the effective context lengths that SQL reports."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from queries.statistics import Rule, bootstrap_interval, curves_of
from runner.report.answers import Answers, Row

REFERENCES = {"needles": "reference_needles", "thread_length": "reference_steps"}


def with_intervals(answers: Answers, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows of `effective` with effective_low and effective_high, None where not known."""
    settings = answers.rows("settings")[0]
    samples: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for sample in answers.rows("effective_seeds"):
        samples[_key(sample, sample["part"])].append(sample)
    return [_with_interval(row, samples[_key(row, _part(row))], settings) for row in rows]


def read_at(row: Row) -> str:
    """Where on the fixed axis an effective length is read, in words."""
    if row["axis"] == "depth":
        return "worst depth"
    if row["axis"] == "cot":
        return "reasoning asked" if row["axis_value"] == "true" else "answer only"
    names = {"needles": "needles", "thread_length": "steps", "question": "question"}
    return f"{row['axis_value']} {names.get(row['axis'], '')}".strip()


def _part(row: Row) -> str:
    return row["axis_value"] if row["axis"] in {"cot", "question"} else ""


def _key(row: Row, part: str) -> tuple[Any, ...]:
    return (*(row[name] for name in ("simulated", "provider", "model", "setup", "task")), part)


def _with_interval(row: Row, samples: Sequence[Row], settings: Row) -> Row:
    name = REFERENCES.get(row["axis"])
    rule = Rule(
        threshold=row["threshold"],
        reference=None if name is None else settings[name],
        limit=row["limit_chars"],
        crossing=settings["ecl_crossing"],
    )
    interval = None
    if samples:
        columns = [[sample[key] for sample in samples] for key in _COLUMNS]
        interval = bootstrap_interval(curves_of(*columns), rule)
    low, high = interval or (None, None)
    return {**row, "effective_low": low, "effective_high": high}


_COLUMNS = ("x", "chars", "seed", "total", "n")
