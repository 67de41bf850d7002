"""A perfect reader is right on every task, and a limited one fails where it is told to."""

from typing import Any

import pytest

from runner.simulator.reader.reader import NOTHING, read
from runner.simulator.spec.settings import Ability, ReaderSettings
from tasks.catalog import TASKS
from tests.unit.runner.simulator.reader.replies import (
    PERFECT,
    judged,
    many,
    said,
    samples,
)


@pytest.mark.parametrize("task", TASKS)
def test_a_perfect_reader_is_right(task: str):
    for point, seed, sample in samples(task):
        reply = said(sample)
        assert judged(task, sample, reply).value == 1.0, (dict(point.axes), seed, reply[:200])


@pytest.mark.parametrize("task", TASKS)
def test_a_lost_reader_is_wrong_in_a_plausible_way(task: str):
    lost = ReaderSettings(ability=Ability(frontier_chars=0.001, sharpness=None))
    values = []
    for _, _, sample in samples(task):
        reply = said(sample, lost)
        assert reply
        assert reply != NOTHING
        values.append(judged(task, sample, reply).value)
    guessed = task.startswith("flenqa.") and task != "flenqa.next_word"
    assert sum(values) / len(values) <= (0.9 if guessed else 0.15)


@pytest.mark.parametrize(
    ("task", "axes"),
    [
        ("needle_threading.single_needle", {"size": 4000, "depth": 50}),
        (
            "needle_threading.threading",
            {"size": 4000, "thread_length": 5, "direction": "forward"},
        ),
        (
            "needle_threading.multi_needle",
            {"size": 4000, "needles": 5, "placement": "clustered"},
        ),
    ],
)
def test_at_the_frontier_three_in_four_are_right(task: str, axes: dict[str, Any]):
    settings = ReaderSettings(abilities={task: Ability(frontier_chars=4000, sharpness=4)})
    values = [
        judged(task, sample, said(sample, settings, str(n))).value
        for n, sample in enumerate(many(task, axes, 400))
    ]
    assert 0.68 < sum(values) / len(values) < 0.82


def test_a_prompt_that_asks_nothing_known():
    assert read("Tell me a story.", "", PERFECT, "mark") == NOTHING
