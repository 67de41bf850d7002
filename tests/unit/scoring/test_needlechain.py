"""The official quirks as they were executed, and our own reading of the same replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.needlechain import NeedleChainScorer, mentions, parse_amount
from scoring.score import Reply, Score

SCORER = NeedleChainScorer()


def target(answer: float = 1600.0, names: tuple[str, ...] = ("Ann", "Bob")) -> dict[str, object]:
    order = list(range(len(names)))[::-1]
    return {"answer": answer, "names": list(names), "presented": order}


def judge(text: str, answer: float = 1600.0, scorer: str = "decimal") -> Score:
    return SCORER.score(Reply(text=text), target(answer), {"needlechain.scorer": scorer})


# (what follows the marker, target, right for the published code, right for us)
VECTORS = [
    ("$1600", 1600.0, 1, 1),
    ("$1,600", 1600.0, 1, 1),
    ("$1600.00", 1600.0, 1, 1),
    ("**$1600**", 1600.0, 1, 1),
    ("$104,857,600", 104857600.0, 1, 1),
    ("$1,6000", 16000.0, 0, 0),
    ("1600 dollars", 1600.0, 0, 1),
    ("$1600 per week", 1600.0, 0, 1),
    ("$1600\n\nThanks", 1600.0, 0, 1),
    ("Bob 1600", 1600.0, 0, 1),
    ("$1600 USD", 1600.0, 0, 1),
    ("Bob earns $1600", 1600.0, 1, 1),
    ("$1600/week", 1600.0, 1, 1),
    ("$1600.\nDone", 1600.0, 1, 1),
    ("$3200 * 0.5 = $1600", 1600.0, 0, 1),
    ("$.5", 0.5, 0, 1),
    ("$.5", 5.0, 1, 0),
    ("$1.6e3", 1.0, 1, 0),
    ("$1.6e3", 1600.0, 0, 1),
    ("$-1600", 1600.0, 1, 0),
    ("12.9", 12.5, 1, 0),
    ("0.7", 0.048828125, 1, 0),
    ("$0.05", 0.048828125, 1, 1),
    ("$0.04", 0.048828125, 1, 0),
    ("$12.505", 12.5, 1, 1),
    ("$12.51", 12.5, 1, 0),
]


@pytest.mark.parametrize(("said", "answer", "official", "ours"), VECTORS)
def test_vectors(said: str, answer: float, official: int, ours: int):
    text = f"Ann then Bob.\n## Answer: {said}"
    assert judge(text, answer, "official").value == official
    assert judge(text, answer).value == ours


def test_without_the_marker_only_the_official_code_searches_the_whole_reply():
    assert judge("##Answer: $1600", scorer="official").label == "correct"
    assert judge("It is $1600", scorer="official").label == "correct"
    assert judge("It is $1600").label == "instruction_not_followed"
    assert judge("##answer : $1600").label == "correct"


@pytest.mark.parametrize(
    "marked",
    [
        "## **Answer:** $17,600",
        "## Final Answer: $17,600",
        "**## Answer:** $17,600",
        "## **Final Answer**: **$17,600**",
        "### Answer (USD): $17,600",
        "## `Answer`: $17,600",
    ],
)
def test_markdown_and_a_word_around_the_marker_do_no_harm(marked: str):
    assert judge(f"Ann, Bob\n{marked}", 17_600.0).label == "correct"


@pytest.mark.parametrize("text", ["## Some other words, answer: $17,600", "The answer: $17,600"])
def test_other_headings_are_no_marker(text: str):
    assert judge(text, 17_600.0).label == "instruction_not_followed"


@pytest.mark.parametrize("scorer", ["decimal", "official"])
def test_the_last_marker_counts(scorer: str):
    assert judge("## Answer: $5\nno:\n## Answer: $1600", scorer=scorer).value == 1


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("\n$$\n1600\n$$", 1600),
        ("\n```text\n1600\n```", 1600),
        ("\\$1{,}600", 1600),
        ("1\u202f600,", 1600),
        ("$\\boxed{1600}$", 1600),
        ("Q3 pay is $1600", 1600),
        ("- 1600", 1600),
        ("-$1600", -1600),
        ("3 * 2 = 6 = $6.50", 6.5),
        ("The total salary of the 5 people is $17,600", 17_600),
        ("$17,600 (= 11 x $1,600)", 17_600),
        ("$17,600 (11 \u00d7 $1,600)", 17_600),
        ("$17,600 = 11 x $1,600", 17_600),
        ("Total = $17,600 (11 x $1,600)", 17_600),
        ("5 people x $3,520 = $17,600", 17_600),
        ("11 \u00d7 $1,600 = 17,600", 17_600),
        ("half of $3,200 = $1,600", 1_600),
        ("$1,600 + $16,000 = $17,600, half of it hers", 17_600),
        ("5 people = $17,600", 17_600),
        ("\\(17600\\)", 17_600),
        ("Bob (the 5th) earns 1600", 1_600),
        ("(1600)", 1_600),
        ("unknown\n5", None),
        ("", None),
        ("1e999", None),
    ],
)
def test_amounts(said: str, amount: float | None):
    assert parse_amount(f"## Answer: {said}") == amount


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Ann, Bob\n## Answer: $1600", "correct"),
        ("nobody\n## Answer: $1600", "correct"),
        ("Ann\nanswer is 5", "instruction_not_followed"),
        ("Ann\n## Answer: none", "instruction_not_followed"),
        ("Ann\n## Answer: $5", "needle_omission"),
        ("Anna, Bob\n## Answer: $5", "needle_omission"),
        ("ann, Bob\n## Answer: $5", "needle_omission"),
        ("_Ann_'s, Bob's\n## Answer: $5", "calculation_error"),
    ],
)
def test_error_taxonomy_in_order_of_precedence(text: str, label: str):
    assert judge(text).label == label


def test_names_are_whole_words_unless_switched():
    assert mentions("Anaya, Mary-Ann Lee", ["Ana", "Anaya", "Mary-Ann"], substring=False) == [
        0,
        1,
        1,
    ]
    assert mentions("Anaya", ["Ana", "Zoë"], substring=True) == [1, 0]
    assert mentions("Zoë", ["Zo", "Zoë"], substring=False) == [0, 1]


def test_positions_in_both_orders_and_reasoning_text():
    given_target = {"answer": 5.0, "names": ["Ann", "Bob", "Cy"], "presented": [2, 0, 1]}
    reply = Reply(text="Ann\n## Answer: $6", reasoning_text="Cy")
    score = SCORER.score(reply, given_target, {})
    assert score.detail["mentioned_reasoning"] == [1, 0, 1]
    assert score.detail["mentioned_presented"] == [1, 1, 0]
    assert score.detail["n_missing"] == 1
    assert score.detail["text"] == "reply+reasoning"
    assert score.label == "needle_omission"
    without = SCORER.score(Reply(text=reply.text), given_target, {})
    assert without.detail["n_missing"] == 2
    assert without.detail["text"] == "reply"


@pytest.mark.parametrize("scorer", ["decimal", "official"])
def test_endless_digits_are_wrong_and_not_an_error(scorer: str):
    score = judge("## Answer: " + "9" * 5000, scorer=scorer)
    assert score.value == 0
    assert score.detail["parsed"] is None
    assert judge("## Answer: " + "9" * 4000, scorer=scorer).value == 0


@given(
    st.text() | st.from_regex(r"## ?[aA]nswer ?: ?[-$0-9.,=e \n]*"),
    st.floats(0, 1e12),
    st.sampled_from(["decimal", "official"]),
)
def test_any_text_gets_a_score_that_is_json(text: str, answer: float, scorer: str):
    score = judge(text, answer, scorer)
    assert score.value in (0.0, 1.0)
    assert (score.label == "correct") == (score.value == 1.0)
    json.dumps(dict(score.detail), allow_nan=False)


@given(
    st.floats(0, 1e10), st.sampled_from(["${:.2f}", "${:,.2f}", "{:.3f} dollars", "Bob: ${:,.4f}!"])
)
def test_every_usual_way_to_write_the_answer_is_read(answer: float, way: str):
    assert judge(f"## Answer: {way.format(answer)}", answer).value == 1
