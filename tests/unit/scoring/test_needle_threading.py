"""The parse and score table of Needle Threading, reply by reply."""

import json

import orjson
import pytest

from scoring.needle_threading import NeedleThreadingScorer
from scoring.score import Reply, Score

K1, K2 = "e3e70682-c209-4cac-629f-6fbed82c07cd", "eb1167b3-67a9-c378-7c65-c1e582e2e662"
V1, V2 = "f728b4fa-4248-5e3a-0a5d-2f346baa9455", "f7c1bd87-4da5-e709-d471-3d60c8a70639"
V3, V4 = "23a7711a-8133-2876-37eb-dcd9e87a1613", "1759edc3-72ae-2244-8b01-63c1cd9d2b7d"

SINGLE = {
    "mode": "single",
    "k": 1,
    "expected": [V1],
    "queries": [K1],
    "ordered": False,
    "kind": "uuid",
}
PAIR = {
    "mode": "list",
    "k": 2,
    "expected": [V1, V2],
    "queries": [K1, K2],
    "ordered": True,
    "kind": "uuid",
}


def judge(text: str, target: dict = SINGLE, **switches: object) -> Score:
    named = {f"nt.{name}": value for name, value in switches.items()}
    score = NeedleThreadingScorer().score(Reply(text=text), target, named)
    orjson.dumps(score.detail)
    return score


@pytest.mark.parametrize(
    "text",
    [
        V1,
        f"  {V1}\n",
        V1.upper(),
        f'"{V1}"',
        f"'{V1}'",
        f"The value is {V1}.",
        f"Value: **{V1}**",
        f"`{V1}`",
        f"-{V1}",
        f"```\n{V1}\n```",
        f'```json\n{{"{K1}": "{V1}"}}\n```',
        f'```json {{"{K1}": "{V1}"}}```',
        f'{{"value": "{V1}"}}',
        f'{{"status": "found", "key": "{K1}", "value": "{V1}"}}',
        f"['{V1}']",
        f"[{V1}]",
        f'For the key "{K1}" the value is "{V1}".',
        f"{K1.upper()} -> {V1}",
        f"{V1}\nand also {V3}",
        f"['{V1}",
    ],
)
def test_single_value_is_found(text: str) -> None:
    score = judge(text)
    assert (score.value, score.label) == (1.0, "correct")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", "no_answer"),
        ("I cannot find that key.", "no_answer"),
        (K1, "no_answer"),
        (V3, "wrong"),
        (f"{V3} or {V1}", "wrong"),
        (V1[:-1], "no_answer"),
        (f"{V1}0", "no_answer"),
        (f"a{V1}", "no_answer"),
        (V1.replace("-", ""), "no_answer"),
    ],
)
def test_single_value_is_missed(text: str, label: str) -> None:
    score = judge(text)
    assert (score.value, score.label) == (0.0, label)


def test_the_last_value_counts_where_the_model_thinks_aloud() -> None:
    text = f"{K1} gives {V3}, {V3} gives {V1}"
    assert judge(text).label == "wrong"
    assert judge(text, pick="last").label == "correct"


def test_any_expected_value_of_a_branch_is_right() -> None:
    target = {**SINGLE, "expected": [V1, V2]}
    assert [judge(text, target).value for text in (V1, V2, V3)] == [1.0, 1.0, 0.0]


def test_detail_says_at_which_step_a_thread_was_left() -> None:
    target = {**SINGLE, "path": [V3, V4, V1]}
    reached = [judge(text, target).detail["step_reached"] for text in (V3, V4, V1, V2)]
    assert reached == [1, 2, 3, 0]
    assert judge(V1, target).detail["steps"] == 3


BOTH = [
    f'["{V1}", "{V2}"]',
    f"['{V1}', '{V2}']",
    f"('{V1}', '{V2}')",
    f"[{V1}, {V2}]",
    f"{{'{V1}', '{V2}'}}",
    f"[{V1.upper()}, {V2.upper()}]",
    f'```json\n["{V1}", "{V2}"]\n```',
    f'```python\n["{V1}", "{V2}"]\n```',
    f'Here they are:\n```\n["{V1}", "{V2}"]\n```\nAnything else?',
    f"Values: ['{V1}', '{V2}']",
    f"1. {V1}\n2. {V2}",
    f"{V1},{V2}",
    f"{K1}: {V1}\n{K2}: {V2}",
    f'{{"{K1}": "{V1}", "{K2}": "{V2}"}}',
    f"{{'{K1}': '{V1}', '{K2}': '{V2}'}}",
    f'[{{"key": "{K1}", "value": "{V1}"}}, {{"key": "{K2}", "value": "{V2}"}}]',
    f'{{"count": 2, "values": ["{V1}", "{V2}"]}}',
    f'["{K1}", "{V1}", "{K2}", "{V2}"]',
    f'["{V1}", "{V2}", "{V3}", "{V4}"]',
    f'["{V1}", "{V2}"',
    f'["{V1}", "{V2}"]\nThese are the values.',
    f"The value of {V1} was read twice: {V1}, then {V2}",
]


@pytest.mark.parametrize("text", BOTH)
@pytest.mark.parametrize("order", ["set", "positional"])
def test_both_values_are_found(text: str, order: str) -> None:
    score = judge(text, PAIR, list_order=order)
    assert (score.value, score.label, score.detail["n_found"]) == (1.0, "correct", 2)


@pytest.mark.parametrize(
    ("text", "value", "positional"),
    [
        (f'["{V2}", "{V1}"]', 1.0, 0.0),
        (f'["{V1}"]', 0.5, 0.5),
        (f'["{V2}"]', 0.5, 0.0),
        (f'["{V3}", "{V2}"]', 0.5, 0.5),
        (f'["{V3}", "{V4}", "{V1}", "{V2}"]', 0.0, 0.0),  # only the first k count
        (f'["{V3}", "{V1}", "{V2}"]', 0.5, 0.0),
        (f'["not found", "{V2}"]', 0.5, 0.5),  # a gap keeps its place
        (f'["not found", "none", "{V2}"]', 0.0, 0.0),
        (f'["{V1}", "{V1}"]', 0.5, 0.5),
        ("[]", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_list_scores(text: str, value: float, positional: float) -> None:
    assert judge(text, PAIR).value == value
    assert judge(text, PAIR, list_order="positional").value == positional


def test_conditional_answers_have_no_order() -> None:
    target = {**PAIR, "queries": [], "ordered": False}
    assert judge(f'["{V2}", "{V1}"]', target, list_order="positional").value == 1.0
    marked = "e3e7*682-c209-4cac-629f-6fbed82c07cd"
    assert judge(f'{{"{marked}": "{V1}", "x": "{V2}"}}', target).value == 1.0
    assert judge(f"{marked}: {V1}, {V2}", target).value == 1.0


def test_marked_keys_beside_the_values_are_no_answers() -> None:
    marked = ["e3e7*682-c209-4cac-629f-6fbed82c07cd", "eb1167b3-67a9-c378-7c6*-c1e582e2e662"]
    target = {**PAIR, "queries": [], "echoes": marked, "ordered": False}
    rows = [{"key": key, "value": value} for key, value in zip(marked, (V1, V2), strict=True)]
    flat = [text for row in rows for text in row.values()]
    assert [judge(json.dumps(reply), target).value for reply in (rows, flat)] == [1.0, 1.0]
    assert judge(json.dumps(["a*b", V1, V2]), target).value == 0.5  # any other text is an answer


def test_all_or_nothing_keeps_the_label() -> None:
    score = judge(V1, PAIR, list_score="all_or_nothing")
    assert (score.value, score.label) == (0.0, "partial")
    assert judge(f"{V1} {V2}", PAIR, list_score="all_or_nothing").value == 1.0


def test_list_labels() -> None:
    labels = [judge(text, PAIR).label for text in (f"{V1} {V2}", V1, V3, "none")]
    assert labels == ["correct", "partial", "wrong", "no_answer"]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (f'["{V1}"]', 0.0),
        (f'("{V1}",)', 0.0),
        (f'"key", "{V1}"', 0.0),
        (f'("{V1}")', 1.0),
        (f'"""{V1}"""', 1.0),
        (f'"\\x{ord(V1[0]):x}{V1[1:]}"', 1.0),
        (f'"{V1[:18]}" "{V1[18:]}"', 1.0),
        (f'"\\d{V1}"', 0.0),
        (f'b"{V1}"', 1.0),  # an error there, as a bare value is
        (f'{{"a": "{V1}"}}', 1.0),  # an error there too
    ],
)
def test_prefix_match_evaluates_the_reply(reply: str, value: float) -> None:
    assert judge(reply, match="prefix").value == value


def test_prefix_match_compares_the_literal_as_it_stands() -> None:
    assert judge(f'"{V1} is the value"', match="prefix").value == 1.0
    assert judge(f'"{V1}ff"', match="prefix").value == 1.0
    assert judge(f'"{V1}ff"').value == 0.0
    assert judge(f'" {V1}"', match="prefix").value == 0.0  # strip() is without effect there
    assert judge(f'"{V1.upper()}"', match="prefix").value == 0.0
    assert judge(V1, match="prefix").value == 1.0
    assert judge(f"['{V1}x', '{V2}']", PAIR, match="prefix").value == 1.0
