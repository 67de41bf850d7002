"""Readers whose numbers are known before, through every task, its scorer and the views.

What each must get; `true` is the share of the questions asked whose right answer is True:

| reader | true/false tasks | other tasks | false bias | refusals | overall |
|---|---|---|---|---|---|
| perfect | 1 | 1 | 0 | 0 | 1 |
| always True | true | 0 | -2 x (1 - true) | 0 | |
| always False | 1 - true | 0 | 2 x true | 0 | |
| first half right, then off the matter | the half | the half | 0 | (1) | |
| refuses all | blank | blank | blank | 1 | blank |
| random | chance | chance | | 0 | |

(1) Where a verdict is asked for, a reply without one is a refusal in words: the other half there.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import orjson
import pytest
from scipy.stats import binomtest

from scoring.catalog import scorer_for
from scoring.score import Reply, Score
from tasks.catalog import TASKS, build
from tasks.identity import trial_seed
from tasks.options import TaskOptions
from tasks.profiles import effective
from tasks.sample import Sample, TaskPoint
from tests.sql.facts import Facts, view
from tests.unit.runner.simulator.reader.replies import said

SWITCHES = effective("default", {})
SILENT = "I would rather talk about the weather."
READERS = ("perfect", "always True", "always False", "first half", "refuses")
REASONING = ("flenqa.monorel", "flenqa.pir", "flenqa.ruletaker")
MOST = 5
"""So many repeats are generated once, and the first of them taken."""
_VALUE = re.compile(r'": "([0-9a-f-]{36})"')


@cache
def asked(task: str) -> tuple[TaskPoint, ...]:
    """The first point at the least size; both ways to ask where there are two."""
    built = build(task, TaskOptions(switches=SWITCHES))
    given: dict[str, list[Any]] = {"size": [1000]} if task.startswith("niah.") else {}
    points = list(built.points(given))
    way = "cot" if "cot" in points[0].axes else "question"
    first = points[0].axes
    return tuple(
        point
        for point in points
        if all(value == first[name] for name, value in point.axes.items() if name != way)
    )


@cache
def sampled(task: str, point_id: str, repeat: int) -> tuple[Sample, str]:
    """A sample and what the perfect reader says to it."""
    built = build(task, TaskOptions(switches=SWITCHES))
    (point,) = (point for point in asked(task) if point.point_id == point_id)
    sample = built.generate(point.axes, trial_seed(0, repeat))
    return sample, said(sample)


def judged(task: str, sample: Sample, reply: str) -> Score:
    target = orjson.loads(orjson.dumps(sample.target))
    return scorer_for(task).score(Reply(text=reply), target, SWITCHES)


def reply_of(reader: str, right: str, repeat: int, repeats: int) -> str | None:
    """None is the provider's refusal."""
    replies: Mapping[str, str | None] = {
        "perfect": right,
        "always True": "True",
        "always False": "False",
        "first half": right if repeat < repeats // 2 else SILENT,
        "refuses": None,
    }
    return replies[reader]


def swept(repeats: int) -> Facts:
    """Every task asked of every reader."""
    facts = Facts().sweep(repeats=repeats)
    for reader in READERS:
        facts.model(reader)
        for task in TASKS:
            for point in asked(task):
                _ask(facts, reader, task, point, repeats)
    return facts


def _ask(facts: Facts, reader: str, task: str, point: TaskPoint, repeats: int) -> None:
    built = build(task, TaskOptions(switches=SWITCHES))
    axes = dict(point.axes)
    size = axes.pop("size", None)
    cell = facts.cell(task, size, model=reader, unit=built.size_unit, **axes)  # type: ignore[arg-type]
    for repeat in range(repeats):
        sample, right = sampled(task, point.point_id, repeat)
        reply = reply_of(reader, right, repeat, repeats)
        score = None if reply is None else judged(task, sample, reply)
        facts.trial(
            cell,
            None if score is None else score.value,
            outcome="refused" if score is None else "answered",
            label=None if score is None else score.label,
            detail=None if score is None else score.detail,
            repeat=repeat,
            chars=sample.prompt.chars,
            kind=sample.kind,
        )


def share_true(task: str, repeats: int) -> float:
    """Over the questions of the points asked, by what the perfect reader concludes."""
    labels = [
        judged(task, *sampled(task, point.point_id, repeat)).label
        for point in asked(task)
        for repeat in range(repeats)
    ]
    assert set(labels) <= {"true", "false"}
    return labels.count("true") / len(labels)


def wanted(reader: str, task: str, repeats: int) -> float | None:
    """The table above."""
    always = {"always True": 1, "always False": 0}
    if reader in always:
        true = share_true(task, repeats) if task in REASONING else 0
        of_false = 1 - true if task in REASONING else 0
        return true if always[reader] else of_false
    known: Mapping[str, float | None] = {
        "perfect": 1.0,
        "first half": (repeats // 2) / repeats,
        "refuses": None,
    }
    return known[reader]


def refused(reader: str, task: str, repeats: int) -> float:
    if reader == "first half" and task in REASONING:
        return 1 - (repeats // 2) / repeats
    return float(reader == "refuses")


def biases(repeats: int) -> Iterator[tuple[str, str, float | None]]:
    for task in REASONING:
        true = share_true(task, repeats)
        yield "perfect", task, 0.0
        yield "always True", task, -2 * (1 - true)
        yield "always False", task, 2 * true
        yield "first half", task, 0.0
        yield "refuses", task, None


@pytest.mark.parametrize("repeats", [1, 2, MOST])
def test_each_reader_gets_what_it_must_in_every_task(repeats: int) -> None:
    facts = swept(repeats)
    for row in view(facts, "select * from accuracy_by_size"):
        expected = wanted(row["model"], row["task"], repeats)
        assert row["accuracy"] == (None if expected is None else pytest.approx(expected)), row
        answers = 0 if expected is None else row["n_planned"]
        assert (row["n_answered"], row["n_not_evaluated"]) == (answers, row["n_planned"] - answers)
        if row["task"] in REASONING and row["model"] == "perfect":
            true = share_true(row["task"], repeats)
            assert row["chance"] == pytest.approx(max(true, 1 - true))
    for row in view(facts, "select * from refusals"):
        assert row["rate"] == pytest.approx(refused(row["model"], row["task"], repeats)), row
    for row in view(facts, "select * from overall_accuracy where model = 'perfect'"):
        assert (row["accuracy"], row["n_tasks"]) == (1, row["n_tasks_swept"]), row
    for row in view(facts, "select * from overall_accuracy where model = 'refuses'"):
        assert (row["accuracy"], row["n_tasks"], row["n_answered"]) == (None, 0, 0), row
    found = {
        (row["model"], row["task"], row["cot"]): row["bias"]
        for row in view(facts, "select * from false_bias")
    }
    for reader, task, bias in biases(repeats):
        means = [found[reader, task, cot] for cot in (False, True)]
        if bias is None:
            assert means == [None, None]
        else:
            assert sum(means) / 2 == pytest.approx(bias), (reader, task)


def test_perfect_answers_have_no_errors_and_no_end_to_their_context() -> None:
    facts = swept(2)
    perfect = "where model = 'perfect'"
    for row in view(facts, f"from needlechain_errors {perfect}"):
        assert (row["n"], row["n_wrong"]) == (2, 0), row
    for row in view(facts, f"from niah_scores {perfect}"):
        assert row["score"] == 10, row
    contexts = view(facts, f"from effective_context {perfect}")
    assert contexts
    for row in contexts:
        assert (row["never_below"], row["effective_chars"], row["share"]) == (True, None, None)
    silent = view(facts, "from effective_context where model = 'refuses' and bound_low > 0")
    assert silent == []


@pytest.mark.parametrize("task", [*REASONING, "needle_threading.single_needle"])
def test_a_reader_that_guesses_is_at_chance(task: str) -> None:
    """Its rate agrees with the chance the view says, by the exact test at one in a thousand."""
    luck = Random(f"guessing {task}")
    facts = Facts().sweep(repeats=60)
    built = build(task, TaskOptions(switches=SWITCHES))
    point = asked(task)[0]
    axes = dict(point.axes)
    cell = facts.cell(task, axes.pop("size"), unit=built.size_unit, **axes)  # type: ignore[arg-type]
    for repeat in range(60):
        sample = built.generate(point.axes, trial_seed(0, repeat))
        values = _VALUE.findall(sample.prompt.messages[-1].text) or ["True", "False"]
        score = judged(task, sample, luck.choice(values))
        facts.trial(cell, score.value, label=score.label, repeat=repeat)
    (row,) = view(facts, "from accuracy_by_size")
    right = round(row["accuracy"] * row["n_answered"])
    assert row["n_answered"] == 60
    # Guessing is right half the time whichever label is commoner.
    chance = 0.5 if task in REASONING else row["chance"]
    assert binomtest(right, 60, chance).pvalue > 0.001
