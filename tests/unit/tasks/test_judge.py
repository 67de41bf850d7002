from collections.abc import Mapping
from typing import Any

import pytest

from tasks.judge import Judged, JudgeTask, Rating, Reformat, is_judge, wanted
from tasks.sample import TaskError

VALUE, KEY = "e3e70682-c209-4cac-629f-6fbed82c07cd", "247a8333-f7b0-b7d2-cda8-056c3d15eef7"
NEEDLE_TARGET = {
    "kind": "keywords",
    "keywords": ["tin"],
    "question": "Where?",
    "needle": "In a tin.",
}


def pair(text: str = "it is so", trial: str = "t1", **target: object) -> Judged:
    known = {"mode": "single", "kind": "uuid", "k": 1, "expected": [VALUE], "queries": [KEY]}
    return Judged(
        trial_id=trial, task="needle_threading.threading", target={**known, **target}, text=text
    )


def needle(target: Mapping[str, Any] = NEEDLE_TARGET) -> Judged:
    return Judged(trial_id="t2", task="niah.custom", target=target, text="In the {tin}.")


def by_trial(*judged: Judged) -> dict[str, Judged]:
    return {each.trial_id: each for each in judged}


def prompt(task: JudgeTask) -> str:
    (point,) = task.points({})
    return task.generate(point.axes, 0).prompt.messages[0].text


def test_each_judge_takes_its_own_replies():
    judged = by_trial(pair(), needle())
    assert [point.axes["trial"] for point in Reformat(judged).points({})] == ["t1"]
    assert [point.axes["trial"] for point in Rating(judged).points({})] == ["t2"]
    assert [wanted(task) for task in ("niah.custom", "niah.magic_number", "flenqa.pir")] == [
        True, False, False,
    ]  # fmt: skip
    assert is_judge("judge.rating")
    assert not is_judge("niah.custom")


def test_the_reformatting_judge_is_never_told_what_is_right():
    text = prompt(Reformat(by_trial(pair("I say: {x} at last"))))
    assert VALUE not in text
    assert KEY in text
    assert "<<<REPLY\nI say: {x} at last\nREPLY>>>" in text


def test_lists_ask_for_a_list_with_room_for_it():
    task = Reformat(by_trial(pair(mode="list", k=25)))
    (point,) = task.points({})
    assert "25 answers" in prompt(task)
    assert '["first", "second"]' in prompt(task)
    assert task.decoding(point.axes)["max_tokens"] == 512 + 40 * 25


def test_the_rating_judge_sees_question_reference_and_reply():
    text = prompt(Rating(by_trial(needle())))
    for part in ("Where?", "In a tin.", "In the {tin}."):
        assert part in text


def test_a_reply_without_its_question_cannot_be_rated():
    old = needle(target={"kind": "keywords", "keywords": ["tin"]})
    task = Rating(by_trial(old))
    assert list(task.points({})) == []
    assert task.unfit(old) == "its question and needle are not in the file"


def test_a_point_is_of_one_reply_and_seed_changes_nothing():
    task = Reformat(by_trial(pair("one")))
    (point,) = task.points({})
    (other,) = Reformat(by_trial(pair("two"))).points({})
    assert point.point_id != other.point_id
    first, second = (task.generate(point.axes, seed).prompt.hash() for seed in (0, 9))
    assert first == second
    with pytest.raises(TaskError, match="not the one"):
        task.generate(other.axes, 0)


def test_prompts_are_pinned():
    tasks = (Reformat(by_trial(pair())), Rating(by_trial(needle())))
    hashes = [task.generate(p.axes, 0).prompt.hash() for task in tasks for p in task.points({})]
    assert hashes == ["6a096edfd11c412f565d895d5b0814b2", "12af86a86fab0b458c05a9f106b6faf2"]
