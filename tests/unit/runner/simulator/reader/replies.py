"""Replies of a reader to prompts of the published grids, and their scores."""

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

from runner.simulator.reader.reader import read
from runner.simulator.spec.settings import ReaderSettings
from scoring.catalog import scorer_for
from scoring.score import Reply, Score
from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.profiles import effective
from tasks.sample import Sample, TaskPoint

SWITCHES = effective("default", {})

PERFECT = ReaderSettings()

MOST_TOKENS, MOST_CHARS = 13_000, 200_000


def grid(task: str) -> list[TaskPoint]:
    """Some of the published points, spread over all axes, none of them huge."""
    built = build(task, TaskOptions(switches=SWITCHES))
    most = MOST_CHARS if built.size_unit == "chars" else MOST_TOKENS
    points = [p for p in built.points({}) if float(str(p.axes[built.size_axis])) <= most]
    return Random(0).sample(points, min(10, len(points)))


def samples(task: str, seeds: int = 2) -> Iterator[tuple[TaskPoint, int, Sample]]:
    built = build(task, TaskOptions(switches=SWITCHES))
    for point, seed in itertools.product(grid(task), range(seeds)):
        yield point, seed, built.generate(point.axes, seed)


def said(sample: Sample, settings: ReaderSettings = PERFECT, mark: str = "mark") -> str:
    turns = sample.prompt.messages
    user = "\n".join(turn.text for turn in turns if turn.role != "system")
    system = "\n".join(turn.text for turn in turns if turn.role == "system")
    return read(user, system, settings, mark)


def judged(task: str, sample: Sample, reply: str) -> Score:
    return scorer_for(task).score(Reply(text=reply), sample.target, SWITCHES)


def many(task: str, axes: dict[str, Any], count: int) -> Iterator[Sample]:
    built = build(task, TaskOptions(switches=SWITCHES))
    for seed in range(count):
        yield built.generate(axes, seed)
