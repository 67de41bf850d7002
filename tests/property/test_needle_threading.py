"""Laws of Needle Threading that hold at every feasible point and for every reply."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.needle_threading import NeedleThreadingScorer
from scoring.score import Reply
from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar

UUID_TASKS = (
    "single_needle",
    "multi_needle",
    "conditional_needle",
    "threading",
    "multi_threading",
    "branched_threading",
)
TASKS = {short: build(f"needle_threading.{short}", TaskOptions()) for short in UUID_TASKS}
SEEDS = st.integers(min_value=0, max_value=2**40)
SIZES = st.integers(min_value=80, max_value=9000)


@st.composite
def samples(draw: st.DrawFn) -> tuple[str, Mapping[str, Scalar], int, Sample]:
    short = draw(st.sampled_from(UUID_TASKS))
    task = TASKS[short]
    axes: dict[str, Scalar] = {
        axis.name: draw(SIZES if axis.name == "size" else st.sampled_from(axis.published))
        for axis in task.axes
    }
    if task.infeasible(axes) is not None:
        axes["size"] = 9000
    seed = draw(SEEDS)
    return short, axes, seed, task.generate(axes, seed)


def object_of(sample: Sample) -> str:
    (text,) = (part.text for part in sample.prompt.messages[0].parts if part.text[0] == "{")
    return text


@settings(max_examples=120, deadline=None)
@given(drawn=samples())
def test_prompt_is_what_it_claims(drawn: tuple[str, Mapping[str, Scalar], int, Sample]) -> None:
    short, axes, seed, sample = drawn
    text = object_of(sample)
    size = axes["size"]
    assert isinstance(size, int)
    assert len(text) == size // 80 * 80 == sample.lengths["haystack_chars"]
    held = json.loads(text, object_pairs_hook=lambda found: found)
    assert all(len(key) == len(value) == 36 for key, value in held)
    assert len({value for _, value in held}) == len(held)
    for part in sample.prompt.messages[0].parts:
        assert part.json == orjson.dumps(part.text)[1:-1]
    if short != "branched_threading":
        assert len(dict(held)) == len(held)
    again = build(f"needle_threading.{short}", TaskOptions()).generate(axes, seed)
    assert (again.prompt.hash(), again.target) == (sample.prompt.hash(), sample.target)


@settings(max_examples=120, deadline=None)
@given(drawn=samples())
def test_a_solver_finds_the_expected_values(
    drawn: tuple[str, Mapping[str, Scalar], int, Sample],
) -> None:
    short, axes, _, sample = drawn
    held = json.loads(object_of(sample), object_pairs_hook=lambda found: found)
    expected = sample.target["expected"]
    if short == "conditional_needle":
        assert [value for key, value in held if axes["character"] in key] == expected
        return
    follow = short not in {"single_needle", "multi_needle"}
    solved = [_solve(held, key, follow=follow) for key in sample.target["queries"]]
    assert solved == expected


def _solve(held: list[tuple[str, str]], key: str, *, follow: bool) -> str:
    """The value at the end of the longest chain from `key`."""
    values = defaultdict[str, list[str]](list)
    for name, value in held:
        values[name].append(value)
    layer, last = [key], key
    while layer := [value for name in layer for value in values.get(name, ())]:
        last = layer[0]
        if not follow:
            break
    return last


LAYOUTS = (
    json.dumps,
    str,
    "\n".join,
    lambda values: f"Sure:\n```json\n{json.dumps(values, indent=1)}\n```\nDone.",
    lambda values: f"The values are {', '.join(values)}.",
    lambda values: json.dumps([value.upper() for value in values]),
)


@settings(max_examples=150, deadline=None)
@given(
    drawn=samples(),
    layout=st.sampled_from(LAYOUTS),
    kept=st.integers(min_value=0, max_value=25),
    extra=st.integers(min_value=0, max_value=3),
)
def test_the_score_is_the_share_of_values_among_the_first_k(
    drawn: tuple[str, Mapping[str, Scalar], int, Sample], layout: Any, kept: int, extra: int
) -> None:
    target = drawn[3].target
    if target["mode"] == "single":
        kept = min(kept, 1)
    k = target["k"]
    right = target["expected"][:kept]
    wrong = [f"{index:08x}-0000-0000-0000-000000000000" for index in range(extra)]
    score = NeedleThreadingScorer().score(Reply(text=layout([*right, *wrong])), target, {})
    assert score.value == pytest.approx(len(right) / k)
    # what stands before the right ones pushes them out of the first k
    late = NeedleThreadingScorer().score(Reply(text=layout([*wrong, *right])), target, {})
    assert late.value == pytest.approx(len(right[: max(0, k - extra)]) / k)


SWITCHES = st.fixed_dictionaries(
    {
        "nt.match": st.sampled_from(("exact", "prefix")),
        "nt.list_score": st.sampled_from(("fractional", "all_or_nothing")),
        "nt.list_order": st.sampled_from(("set", "positional")),
        "nt.pick": st.sampled_from(("first", "last")),
    }
)
PIECES = st.sampled_from(
    ("[", "]", "{", "}", '"', "'", ",", ":", "```", "```json\n", "\\", "-", "a0", " ", "\n")
)


@settings(max_examples=300, deadline=None)
@given(
    drawn=samples(),
    text=st.one_of(st.text(), st.lists(PIECES).map("".join), st.text(st.characters())),
    own=st.booleans(),
    switches=SWITCHES,
)
def test_any_text_has_a_score(
    drawn: tuple[str, Mapping[str, Scalar], int, Sample],
    text: str,
    switches: Mapping[str, Any],
    *,
    own: bool,
) -> None:
    target = drawn[3].target
    if own:
        text = f"{text}{target['expected'][0]}{text}"
    score = NeedleThreadingScorer().score(Reply(text=text), target, switches)
    assert 0 <= score.value <= 1
    assert score.label in {"correct", "partial", "wrong", "no_answer"}
    assert (score.label == "correct") <= (score.value == 1)
    orjson.dumps(score.detail)


@pytest.mark.parametrize(
    ("short", "trials"),
    [("single_needle", 55), ("multi_needle", 90), ("threading", 180), ("multi_threading", 400)],
)
def test_published_number_of_trials_at_one_size(short: str, trials: int) -> None:
    assert 5 * len(list(TASKS[short].points({"size": [8000]}))) == trials


def test_one_wrong_reply_of_a_published_size_gives_a_published_value() -> None:
    task, scorer = TASKS["single_needle"], NeedleThreadingScorer()
    targets = [
        task.generate(point.axes, repeat).target
        for point in task.points({"size": [2000]})
        for repeat in range(5)
    ]
    replies = ["I do not know.", *(target["expected"][0] for target in targets[1:])]
    values = [
        scorer.score(Reply(text=reply), target, {}).value
        for reply, target in zip(replies, targets, strict=True)
    ]
    assert round(100 * sum(values) / len(values), 1) == 98.2  # 54 of 55
