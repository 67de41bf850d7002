"""One suite for every task: what the engine and the reader may rely on whichever it is."""

import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import islice, product
from math import prod

import orjson
import pytest

from scoring.catalog import scorer_for
from tasks.catalog import TASKS, build
from tasks.grid import check_value, curve_axis, expand, skipped
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, Sample, Scalar, Task, TaskError

PINNED: dict[str, str] = {
    "needle_threading.single_needle": "c7a07a7369cb542ea3c9b781d6ae5402",
    "needle_threading.multi_needle": "ac1442f068fe5fc4cea1fb77c7d88b1b",
    "needle_threading.conditional_needle": "264fdac7c30a54dfcdf11b5e723ab226",
    "needle_threading.threading": "37d3253ad4a7687a2205ee6764a79ec5",
    "needle_threading.multi_threading": "487da2cec0f590578015dc98bf6e8806",
    "needle_threading.branched_threading": "76abe9c5830c1fb18bb6775ed1bc9a6f",
    "needle_threading.natural_threading": "6672eb44c7da2004a98de68336fc0db7",
    "needle_threading.natural_multi_threading": "cbbfbf284aa55196d8811cf4645c8260",
    "flenqa.monorel": "fba6dc47947b14ad1348333410e8cace",
    "flenqa.pir": "530b409b2845e1af8da32db4fb07ceeb",
    "flenqa.ruletaker": "51dba13d62b1c301c4a43206d0711630",
    "flenqa.next_word": "0b26b708903ce0a8939e7810fc3f8a26",
    "niah.magic_number": "6e0aa996e234a75e015eba2c40b94155",
    "niah.negative": "0bee294f6828004531542b8ec7576202",
    "niah.custom": "4f63f063b66ce56977c701d38c19d4fb",
    "needlechain.forward": "2dd4b35d1d3a1a6a3af4deac6f7a82ea",
    "needlechain.backward": "266da133e02e83afd070798ff8136d5f",
    "needlechain.mixed": "74c3cbaa8888543ce6006acc34b79cf5",
    "needlechain.stack": "18fe40e7307edd98bd8085786f7fb426",
}
"""Prompt hash of the first published point, seed 3. A change here needs a new task version."""

NAMES = tuple(TASKS)
SEED = 3


@pytest.fixture(params=NAMES)
def task(request: pytest.FixtureRequest) -> Task:
    return build(request.param, TaskOptions())


def first_axes(task: Task) -> Mapping[str, Scalar]:
    return next(iter(task.points({}))).axes


def first_sample(task: Task, seed: int = SEED) -> Sample:
    return task.generate(first_axes(task), seed)


def test_every_family_of_the_design_is_there() -> None:
    families = {name.partition(".")[0] for name in NAMES}
    assert families == {"needle_threading", "flenqa", "niah", "needlechain"}


def test_unknown_task_is_named_with_those_that_exist() -> None:
    with pytest.raises(TaskError, match=r"no task 'nope'; there are needle_threading.single"):
        build("nope", TaskOptions())


def unsaid(kind: type[Task], pinned: Mapping[str, str] = PINNED) -> list[str]:
    """What a task in the catalogue does not say of itself, though no default can stand for it."""
    missing = sorted(getattr(kind, "__abstractmethods__", frozenset[str]()))
    missing += [
        name
        for name in ("name", "axes", "size_axis", "size_unit", "source", "shares", "facts")
        if not hasattr(kind, name)
    ]
    return missing if kind.name in pinned else [*missing, "PINNED"]


@pytest.mark.parametrize("name", NAMES)
def test_a_task_says_its_own_facts(name: str) -> None:
    assert unsaid(TASKS[name]) == []


def test_facts_fit_every_point(task: Task) -> None:
    axes = first_axes(task)
    chance = task.chance(axes)
    assert chance is None or 0 <= chance <= 1
    assert task.values_asked(axes) >= 1
    assert task.reply_tokens(axes) > 0
    assert task.facts.text == first_sample(task).kind
    assert (task.facts.unit_tokens is None) == (task.size_unit == "chars")
    assert curve_axis(task.axes) in {"", *axes}


def test_class_facts(task: Task) -> None:
    names = [axis.name for axis in task.axes]
    assert len(set(names)) == len(names)
    assert TASKS[task.name] is type(task)
    assert task.version >= 1
    assert task.source
    assert task.size_axis in names
    assert task.size_unit in {"chars", "tokens", "needles"}
    assert set(task.shares) <= set(names)


def test_published_values_are_allowed(task: Task) -> None:
    for axis in task.axes:
        assert axis.published
        for value in axis.published:
            assert check_value(task.name, axis, value) == value


def test_default_grid_is_the_published_one(task: Task) -> None:
    points = list(task.points({}))
    whole = prod(len(axis.published) for axis in task.axes)
    assert len(points) + skipped(task, {}).total() == whole
    assert len({point.point_id for point in points}) == len(points)
    assert all(list(point.axes) == [axis.name for axis in task.axes] for point in points)
    assert {(point.task, point.version) for point in points} == {(task.name, task.version)}


def test_given_values_replace_published_ones(task: Task) -> None:
    axes = first_axes(task)
    points = list(task.points({name: [value] for name, value in axes.items()}))
    assert [dict(point.axes) for point in points] == [dict(axes)]


def test_unknown_axis_is_named(task: Task) -> None:
    with pytest.raises(TaskError, match=rf"{task.name}: no axis 'colour'; it has "):
        list(task.points({"colour": [1]}))


def test_what_is_infeasible_can_not_be_generated(task: Task) -> None:
    reasons = ((axes, task.infeasible(axes)) for axes in _with_small_sizes(task))
    found = next(((axes, reason) for axes, reason in reasons if reason), None)
    if found is None:
        pytest.skip("every point of this task is feasible")
    with pytest.raises(DoesNotFitError):
        task.generate(found[0], SEED)


def _with_small_sizes(task: Task):
    (size,) = (axis for axis in task.axes if axis.name == task.size_axis)
    least = size.minimum if size.minimum is not None else size.published[0]
    yield from expand(task.name, task.axes, {} if least is None else {size.name: [int(least)]})
    yield from expand(task.name, task.axes, {})


def test_decoding(task: Task) -> None:
    params = task.decoding(first_axes(task))
    assert params["max_tokens"] >= 1
    assert 0 <= params["temperature"] <= 2
    orjson.dumps(dict(params))


def test_sample_is_whole(task: Task) -> None:
    sample = first_sample(task)
    assert sample.prompt.messages[-1].role == "user"
    assert sample.prompt.chars > 0
    assert sample.kind in {"uuid", "prose", "names", "mixed"}
    assert orjson.loads(orjson.dumps(sample.target)) == sample.target
    assert all(isinstance(value, int | float) for value in sample.lengths.values())
    for message in sample.prompt.messages:
        for part in message.parts:
            assert part.json == orjson.dumps(part.text)[1:-1]


def test_same_arguments_same_bytes(task: Task) -> None:
    axes = first_axes(task)
    again = build(task.name, TaskOptions())
    for seed in (SEED, 0, SEED):
        ours, theirs = task.generate(axes, seed), again.generate(axes, seed)
        assert ours.prompt.hash() == theirs.prompt.hash()
        assert (ours.target, ours.lengths) == (theirs.target, theirs.lengths)


def test_another_seed_another_prompt(task: Task) -> None:
    hashes = {first_sample(task, seed).prompt.hash() for seed in (0, 1, 2, 2**32, 2**32 + 1)}
    assert len(hashes) == 5


def test_order_of_calls_does_not_matter(task: Task) -> None:
    points = list(islice(task.points({}), 4))
    calls = list(product(points, (0, 1)))
    forward = [task.generate(point.axes, seed).prompt.hash() for point, seed in calls]
    other = build(task.name, TaskOptions())
    backward = [other.generate(point.axes, seed).prompt.hash() for point, seed in calls[::-1]]
    assert forward == backward[::-1]


def test_prompt_is_pinned(task: Task) -> None:
    assert first_sample(task).prompt.hash() == PINNED.get(task.name), "pin it, or undo the change"


def test_a_scorer_judges_it(task: Task) -> None:
    scorer = scorer_for(task.name)
    assert scorer.version >= 1
    assert scorer.name


PRINT_HASHES = """
from tasks.catalog import TASKS, build
from tasks.options import TaskOptions
for name in TASKS:
    task = build(name, TaskOptions())
    point = next(iter(task.points({})))
    print(name, point.point_id, task.generate(point.axes, %d).prompt.hash())
"""


def test_prompts_do_not_depend_on_the_salt_of_hash() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", PRINT_HASHES % SEED],
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    points = [(name, next(iter(build(name, TaskOptions()).points({})))) for name in NAMES]
    expected = [f"{name} {point.point_id} {PINNED[name]}" for name, point in points]
    assert printed.splitlines() == expected
