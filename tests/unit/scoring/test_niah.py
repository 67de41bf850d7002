import pytest

from scoring.niah import NOT_PARSABLE, NiahScorer, snap_to_rail
from scoring.score import Reply

NUMBER = "1234567"
SCORER = NiahScorer()
PRESENT = {"kind": "number", "number": NUMBER, "city": "Lima"}
ABSENT = {"kind": "absent", "number": NUMBER, "city": "Lima"}


@pytest.mark.parametrize(
    ("reply", "official", "strict"),
    [
        ("The special magic number is: 1234567", NUMBER, NUMBER),
        ("unanswerable.", "unanswerable", "unanswerable"),
        ("UNANSWERABLE", "unanswerable", "unanswerable"),
        ("1,234,567", NOT_PARSABLE, NUMBER),
        ("12345678", NUMBER, NOT_PARSABLE),
        ("91234567", NUMBER, NOT_PARSABLE),
        ("7654321 and 1234567", NUMBER, NUMBER),
        ("1234567 or UNANSWERABLE", NOT_PARSABLE, NOT_PARSABLE),
        ("12,34567", NOT_PARSABLE, NOT_PARSABLE),
        ("", NOT_PARSABLE, NOT_PARSABLE),
    ],
)
def test_published_vectors(reply: str, official: str, strict: str) -> None:
    assert snap_to_rail(reply, NUMBER) == official
    assert snap_to_rail(reply, NUMBER, strict=True) == strict


@pytest.mark.parametrize(
    ("reply", "value", "label", "readme", "code", "other"),
    [
        ("It is 1234567.", 1.0, "correct", 10, 1, False),
        ("Unanswerable", 0.0, "unanswerable", 1, 10, False),
        ("It is 7,654,321.", 0.0, "not_parsable", 1, 5, True),
        ("No idea", 0.0, "not_parsable", 1, 5, False),
    ],
)
def test_number_in_the_context(
    reply: str, value: float, label: str, readme: int, code: int, *, other: bool
) -> None:
    score = SCORER.score(Reply(text=reply), PRESENT, {})
    assert (score.value, score.label) == (value, label)
    assert score.detail == {"readme_score": readme, "code_score": code, "other_number": other}


@pytest.mark.parametrize(
    ("reply", "value", "label", "hallucination"),
    [
        ("UNANSWERABLE", 1.0, "unanswerable", False),
        ("It is 1112223.", 0.0, "not_parsable", True),
        ("It is 1234567.", 0.0, "not_parsable", True),
        ("Seven numbers: 12 and 34.", 0.0, "not_parsable", False),
        ("UNANSWERABLE, or perhaps 9,998,887", 1.0, "unanswerable", True),
    ],
)
def test_number_not_in_the_context(
    reply: str, value: float, label: str, *, hallucination: bool
) -> None:
    score = SCORER.score(Reply(text=reply), ABSENT, {})
    assert (score.value, score.label) == (value, label)
    assert score.detail["hallucination"] is hallucination
    assert score.detail["code_score"] == (1 if value else 10)


def test_switch_chooses_the_rail() -> None:
    reply = Reply(text="12345678")
    assert SCORER.score(reply, PRESENT, {"niah.rail": "official"}).value == 1
    assert SCORER.score(reply, PRESENT, {"niah.rail": "strict"}).value == 0


def test_keywords_are_ours_and_say_so() -> None:
    target = {"kind": "keywords", "keywords": ["blue tin", "Stairs"]}
    right = SCORER.score(Reply(text="In a Blue\n TIN under the stairs"), target, {})
    assert (right.value, right.label) == (1.0, "correct")
    part = SCORER.score(Reply(text="on the stairs"), target, {})
    assert (part.value, part.label) == (0.5, "partial")
    wrong = SCORER.score(Reply(text=""), target, {})
    assert (wrong.value, wrong.label) == (0.0, "wrong")
    assert right.detail["method"] == "contains_keywords"
