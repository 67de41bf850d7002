"""One suite for every scorer: any reply to any task's sample has a score, and only one."""

from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.catalog import SCORERS, scorer_for
from scoring.score import Reply
from tasks.catalog import TASKS, build
from tasks.options import TaskOptions
from tasks.profiles import PROFILES, effective

NAMES = tuple(TASKS)
SWITCHES = {profile: effective(profile, {}) for profile in PROFILES}
_TARGETS: dict[str, Mapping[str, Any]] = {}


def target_of(name: str) -> Mapping[str, Any]:
    if name not in _TARGETS:
        task = build(name, TaskOptions())
        point = next(iter(task.points({})))
        sample = task.generate(point.axes, 0)
        _TARGETS[name] = orjson.loads(orjson.dumps(sample.target))  # as it comes from the table
    return _TARGETS[name]


def words_of(value: Any) -> list[str]:
    """All strings and numbers in a target, which replies then contain."""
    if isinstance(value, Mapping):
        return [word for item in value.values() for word in words_of(item)]
    if isinstance(value, list):
        return [word for item in value for word in words_of(item)]
    return [str(value)]


MARKS = ("[", "]", "{", "}", '"', "'", ",", ":", "```", "\n", " ", "$", "## Answer:", "True", "=")


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, Reply]:
    name = draw(st.sampled_from(NAMES))
    words = st.sampled_from([*words_of(target_of(name)), *MARKS])
    mixed = st.lists(st.one_of(words, st.text(max_size=12))).map("".join)
    text = draw(st.one_of(st.text(), mixed))
    reasoning = draw(st.none() | st.text())
    return name, Reply(text=text, reasoning_text=reasoning, truncated=draw(st.booleans()))


@settings(max_examples=400, deadline=None)
@given(drawn=replies(), profile=st.sampled_from(PROFILES))
def test_every_reply_has_one_score(drawn: tuple[str, Reply], profile: str) -> None:
    name, reply = drawn
    scorer, target, switches = scorer_for(name), target_of(name), SWITCHES[profile]  # type: ignore[index]
    score = scorer.score(reply, target, switches)
    assert 0 <= score.value <= 1
    assert score.label
    orjson.dumps(score.detail)
    assert scorer.score(reply, target, switches) == score


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " \n", "I can not help with that.", "x" * 50_000])
def test_a_reply_without_an_answer_is_never_right(name: str, text: str) -> None:
    score = scorer_for(name).score(Reply(text=text), target_of(name), SWITCHES["default"])
    assert score.value == 0


@pytest.mark.parametrize("text", ["[" * 40_000, '"' * 40_001, "```" * 20_000, "{'a':" * 20_000])
@pytest.mark.parametrize("name", NAMES)
def test_hostile_nesting_is_read_through(name: str, text: str) -> None:
    score = scorer_for(name).score(Reply(text=text), target_of(name), SWITCHES["default"])
    assert score.value == 0


def test_unknown_family_has_no_scorer() -> None:
    with pytest.raises(KeyError):
        scorer_for("nope.task")


def test_scorers_are_versioned() -> None:
    assert all(scorer.version >= 1 and scorer.name for scorer in SCORERS.values())
