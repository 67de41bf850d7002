from typing import Any

import pytest

from scoring.flenqa import FlenqaScorer, is_early, normalize, verdict
from scoring.score import Reply
from tasks.profiles import effective

SCORER = FlenqaScorer()
NOTEBOOK = effective("official", {})
PAPER = effective("paper", {"flenqa.strip_punct": False})
TARGET: dict[str, Any] = {
    "dataset": "MonoRel",
    "label": "True",
    "question": "Is Ann taller than Cleo?",
    "key_sentences": ["Ann is taller than Bob.", "Bob is taller than Cleo."],
    "facts": ["Ann is taller than Bob. All say so.", "Bob is taller than Cleo. It is known."],
    "cot": True,
}


@pytest.mark.parametrize(
    ("reply", "notebook", "paper"),
    [
        ("True", "true", "true"),
        ("The answer is not true.", "false", "true"),
        ("It is not the true case", "false", "true"),
        ("not\ntrue", "false", "true"),
        ("It is not necessarily true", "true", "true"),
        ("It is untrue", "true", "true"),
        ("True or False? I cannot say.", "false", "false"),
        ("It's false that it is not true", "false", "true"),
        ("I don't have enough information", "refused", "refused"),
        ("", "refused", "refused"),
        ("**True** because", "true", "true"),
        ("Answer: True", "true", "true"),
        ("truelove", "true", "true"),
    ],
)
def test_published_verdicts(reply: str, notebook: str, paper: str) -> None:
    assert verdict(reply, NOTEBOOK) == notebook
    assert verdict(reply, PAPER) == paper


@pytest.mark.parametrize(
    ("reply", "window", "first"),
    [
        ("True", True, True),
        ("**True** because", True, True),
        ("Answer: True", False, True),
        ("True. Step 1: they differ. So the answer is false", False, True),
        ("isn't true", True, True),
        ("Ann is taller. Bob is taller. True", False, False),
        ("Let me see\nTrue", False, False),
        ("Refused, since I cannot say", False, False),  # our label is no part of the reply
        ("", False, False),
    ],
)
def test_published_early_answers(reply: str, *, window: bool, first: bool) -> None:
    assert is_early(reply, verdict(reply, NOTEBOOK), NOTEBOOK) is window
    assert is_early(reply, "", {"flenqa.early": "first_verdict"}) is first


def test_word_boundary_and_punctuation_switches() -> None:
    words = {"flenqa.answer": "notebook", "flenqa.word_boundary": True}
    assert verdict("untrue, that is false", words) == "false"
    assert verdict("It is untrue", words) == "refused"
    stripping = {"flenqa.answer": "notebook", "flenqa.strip_punct": True}
    assert verdict("not, true", stripping) == "false"
    assert verdict("not, true", {"flenqa.answer": "notebook"}) == "true"
    assert verdict("tr.ue", {"flenqa.answer": "paper", "flenqa.strip_punct": True}) == "true"
    assert normalize("The  answer\tis: A Cat!") == "answer is: cat!"
    assert normalize("The answer: a cat!", strip_punct=True) == "answer cat"


@pytest.mark.parametrize(
    ("reply", "value", "label"),
    [("False. True.", 1.0, "true"), ("False", 0.0, "false"), ("Hm", 0.0, "refused")],
)
def test_value_and_label(reply: str, value: float, label: str) -> None:
    score = SCORER.score(Reply(text=reply), TARGET, NOTEBOOK)
    assert (score.value, score.label, score.detail["gold"]) == (value, label, "true")


def test_coverage_of_key_sentences_or_of_facts() -> None:
    reply = Reply(text="We know ann is taller than bob, and BOB is\ntaller than Cleo: True")
    default = effective("default", {})
    assert SCORER.score(reply, TARGET, default).detail["covered"] == 2
    assert SCORER.score(reply, TARGET, NOTEBOOK).detail["covered"] == 0
    whole = Reply(text="Ann is taller than Bob.  All say so. Hence True")
    assert SCORER.score(whole, TARGET, NOTEBOOK).detail["covered"] == 1
    assert SCORER.score(whole, TARGET, default).detail["covered"] == 1
    assert SCORER.score(whole, TARGET, default).detail["n_key"] == 2


@pytest.mark.parametrize(
    ("reply", "value", "label"),
    [
        ("Bradshaw", 1.0, "correct"),
        (' "Bradshaw". And so on', 1.0, "correct"),
        ("bradshaw", 0.0, "wrong"),
        ("Anthony Bradshaw", 0.0, "wrong"),
        ("... !", 0.0, "refused"),
        ("", 0.0, "refused"),
    ],
)
def test_next_word(reply: str, value: float, label: str) -> None:
    target = {"dataset": "next_word", "label": "Bradshaw", "key_sentences": [], "facts": []}
    score = SCORER.score(Reply(text=reply), target, NOTEBOOK)
    assert (score.value, score.label) == (value, label)


def test_a_reply_cut_off_before_its_verdict_refuses_nothing() -> None:
    target = {"dataset": "PIR", "label": "True", "key_sentences": [], "facts": []}
    cut = SCORER.score(Reply(text="First, the room", truncated=True), target, NOTEBOOK)
    assert (cut.value, cut.label) == (0.0, "cut_off")
    whole = SCORER.score(Reply(text="First, the room"), target, NOTEBOOK)
    assert (whole.value, whole.label) == (0.0, "refused")
    said = SCORER.score(Reply(text="True, since", truncated=True), target, NOTEBOOK)
    assert (said.value, said.label) == (1.0, "true")
