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
from tasks.grid import check_value, expand, skipped
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, Sample, Scalar, Task, TaskError

PINNED: dict[str, str] = {
    "needle_threading.single_needle": "b5062a64daa279e07dd6b841ae7f0083",
    "needle_threading.multi_needle": "2ec9ba0f38c58896e2104565039c0d5a",
    "needle_threading.conditional_needle": "b691fb94a65f7b4615bd2ae09bc07e39",
    "needle_threading.threading": "1e8892b5fff3886c7d0785cb85cb6c5a",
    "needle_threading.multi_threading": "4772f7e1b88540fc6f238a4c8ece9b79",
    "needle_threading.branched_threading": "891be543816c026f71a8ad4082b96734",
    "needle_threading.natural_threading": "0a9004dadfc77bd683ababf489586b26",
    "needle_threading.natural_multi_threading": "0407c3b496db294e1c53432a78e8932b",
    "flenqa.monorel": "57c18207deb01db0a2214c142509c387",
    "flenqa.pir": "0b51b8f58d08deffa6337882b32cc0b7",
    "flenqa.ruletaker": "182d951054c9740338597d916b561c4c",
    "flenqa.next_word": "75c783df754c9dde88c1a75d8d860aa9",
    "niah.magic_number": "c16541c0d90013645acb825b758da30d",
    "niah.negative": "a744d6070bcae7d0da121fdd26c5d9c3",
    "niah.custom": "34a4397e78272b3d70e7b16554617497",
    "needlechain.forward": "7b8786b62349d56c4289cc3043a944e2",
    "needlechain.backward": "df1613ca1b276196d739eb12b17ae520",
    "needlechain.mixed": "9a2a26e838abb62ba4cc6fb4a98ff132",
    "needlechain.stack": "12447ac978ac66cb607017b1161ed3ed",
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
