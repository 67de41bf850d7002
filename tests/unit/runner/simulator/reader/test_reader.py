"""A perfect reader is right on every task, and a limited one fails where it is told to."""

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from runner.simulator.reader.frontier import chance, effective_chars
from runner.simulator.reader.reader import NOTHING, read
from runner.simulator.spec.settings import Ability, ReaderSettings
from scoring.catalog import scorer_for
from scoring.score import Reply, Score
from tasks.catalog import TASKS, build
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


@pytest.mark.parametrize("task", TASKS)
def test_the_same_prompt_meets_the_same_fate(task: str):
    half = ReaderSettings(ability=Ability(frontier_chars=3_000, sharpness=1))
    for _, _, sample in itertools.islice(samples(task, 1), 4):
        assert said(sample, half) == said(sample, half)


def many(task: str, axes: dict[str, Any], count: int) -> Iterator[Sample]:
    built = build(task, TaskOptions(switches=SWITCHES))
    for seed in range(count):
        yield built.generate(axes, seed)


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


def test_the_chance_falls_with_length_steps_and_the_middle():
    ability = Ability(frontier_chars=1000, sharpness=3, steps_power=1, depth_dip=1)
    lengths = [chance(ability, chars) for chars in (10, 1000, 2000, 10**9)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[1] == pytest.approx(0.75)
    assert chance(ability, 500, steps=2) == pytest.approx(0.75)
    assert chance(ability, 500, depth=0.5) == pytest.approx(0.75)
    assert chance(ability, 500, depth=0.5) < chance(ability, 500, depth=0.9)
    assert chance(Ability(), 10**12) == 1.0


def test_effective_chars_is_where_the_chance_is_three_quarters():
    ability = Ability(frontier_chars=9000, sharpness=5, steps_power=0.5, depth_dip=0.8)
    found = effective_chars(ability, steps=5, depth=0.3)
    assert found is not None
    assert chance(ability, round(found), 5, 0.3) == pytest.approx(0.75, abs=1e-3)
    assert effective_chars(Ability()) is None


FLENQA = {"size": 250, "padding": "similar", "placement": "first"}


def test_false_bias_no_verdict_early_answers_and_skipped_facts_have_their_rates():
    rates = ReaderSettings(
        ability=Ability(frontier_chars=0.001, sharpness=None),
        false_bias=0.8,
        no_verdict=0.1,
        early_answer=0.3,
        skipped_fact=0.25,
    )
    task, count = "flenqa.monorel", 600
    replies = [
        (sample, said(sample, rates, str(n)))
        for n, sample in enumerate(many(task, FLENQA | {"cot": True}, count))
    ]
    scores = [judged(task, sample, reply) for sample, reply in replies]
    verdicts = [(sample, reply) for sample, reply in replies if "True" in reply or "False" in reply]
    said_false = sum("False" in reply for _, reply in verdicts) / len(verdicts)
    early = sum(reply.startswith(("True", "False")) for _, reply in verdicts) / len(verdicts)
    told = [key in reply for sample, reply in verdicts for key in sample.target["key_sentences"]]
    assert 0.06 < 1 - len(verdicts) / count < 0.14
    assert 0.75 < said_false < 0.85
    assert 0.24 < early < 0.36
    assert 0.70 < sum(told) / len(told) < 0.80
    assert 0 < sum(score.value for score in scores) < count


def test_chain_failures_are_of_the_kinds_that_were_asked_for():
    task, axes = "needlechain.mixed", {"k": 5, "question": "total", "val": 1600}
    lost = Ability(frontier_chars=1, sharpness=None)
    wanted = {
        "needle_omission": ReaderSettings(ability=lost, omission=1),
        "calculation_error": ReaderSettings(ability=lost, omission=0),
        "instruction_not_followed": ReaderSettings(no_marker=1),
    }
    for label, settings in wanted.items():
        for sample in many(task, axes, 10):
            assert judged(task, sample, said(sample, settings)).label == label


def test_a_prompt_that_asks_nothing_known():
    assert read("Tell me a story.", "", PERFECT, "mark") == NOTHING


def test_marked_keys_in_an_object_that_is_not_written_the_usual_way():
    keys = [f"{n:08x}-0000-0000-0000-00000000000*" for n in range(3)]
    pairs = [f'"{key}": "{n:036d}"' for n, key in enumerate(keys)]
    text = 'Keys that contain "*"?\n{' + ",  ".join(pairs) + "}\nList:"
    assert read(text, "", PERFECT, "mark") == (
        '["' + '", "'.join(f"{n:036d}" for n in range(3)) + '"]'
    )
