import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.judge import VERDICT_SCORERS, RatingScorer, ReformattedScorer, find_rating
from scoring.score import Reply
from tasks.profiles import effective

A = "e3e70682-c209-4cac-629f-6fbed82c07cd"
B = "f728b4fa-4248-5e3a-0a5d-2f346baa9455"
KEY = "247a8333-f7b0-b7d2-cda8-056c3d15eef7"
SINGLE = {"mode": "single", "kind": "uuid", "k": 1, "expected": [A], "queries": [KEY],
          "ordered": False}  # fmt: skip
LIST = {**SINGLE, "mode": "list", "k": 2, "expected": [A, B], "ordered": True}
EVENTS = {**SINGLE, "kind": "name", "expected": ["the Red Fair"], "queries": ["the Long Dusk"],
          "names": ["the Red Fair", "the Long Dusk"]}  # fmt: skip
DEFAULT = effective("default", {})
STRICT = effective("default", {"nt.list_score": "all_or_nothing"})


def reformatted(verdict: str, judged: str, target=SINGLE, switches=DEFAULT, *, truncated=False):
    reply = Reply(text=verdict, truncated=truncated)
    return ReformattedScorer().score(reply, judged, target, switches)


def test_a_copied_answer_is_scored_by_exact_match():
    said = f"The key leads to {B}, and that one to {A}, which is the end."
    assert reformatted(A, said).value == 1.0  # type: ignore[union-attr]
    assert reformatted(B, said).label == "wrong"  # type: ignore[union-attr]


def test_lists_keep_their_fractions_and_switches():
    said = f"First {A}. The second one I could not find."
    score = reformatted(f'["{A}"]', said, LIST)
    assert score is not None
    assert (score.value, score.label) == (0.5, "partial")
    assert reformatted(f'["{A}"]', said, LIST, STRICT).value == 0.0  # type: ignore[union-attr]


def test_a_judge_may_mend_spelling_but_bring_nothing_of_its_own():
    spaced = A.upper().replace("-", " ")
    assert reformatted(A, f"value = {spaced}").value == 1.0  # type: ignore[union-attr]
    assert reformatted(A, f"value = {B}") is None
    assert reformatted(f'["{A}", "{B}"]', f"only {A}", LIST) is None
    assert reformatted("the Red Fair", "After it came THE RED  FAIR!", EVENTS) is not None
    assert reformatted("the Red Fair", "I do not know.", EVENTS) is None


@pytest.mark.parametrize("verdict", ["NONE", "[]", " none. ", "`NONE`"])
def test_the_word_for_no_answer_is_a_verdict(verdict: str):
    score = reformatted(verdict, "I cannot find it.")
    assert score is not None
    assert (score.value, score.label) == (0.0, "no_answer")


@pytest.mark.parametrize("verdict", ["", "I'm sorry, I can't help with that.", "None of these is"])
def test_a_non_answer_of_the_judge_is_no_score(verdict: str):
    assert reformatted(verdict, f"It is {A}") is None


def test_a_verdict_that_was_cut_off_is_no_score():
    assert reformatted(f'["{A}",', f"{A} {B}", LIST, truncated=True) is None
    assert RatingScorer().score(Reply(text="1", truncated=True), "x", {}, DEFAULT) is None


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("1", 1),
        ("10", 10),
        (" 7\n", 7),
        ("Score: 5", 5),
        ("**Rating: 3**", 3),
        ("[[10]]", 10),
        ("7/10", 7),
        ("10 out of 10.", 10),
        ("8.0", 8),
        ("The reply names the tin but not the stairs.\n\nFinal score: 7", 7),
        ("Score: 7\n7", 7),
        ("0", None),
        ("11", None),
        ("100", None),
        ("7.5", None),
        ("", None),
        ("3 or 5", None),
        ("3\n5", None),
        ("The reply has 7 words.", None),
        ("I cannot rate this.", None),
    ],
)
def test_ratings_are_read_only_where_they_are_plain(text: str, rating: int | None):
    assert find_rating(text) == rating


@pytest.mark.parametrize(("said", "value"), [("1", 0.0), ("10", 1.0), ("7", 6 / 9)])
def test_a_rating_is_laid_on_zero_to_one(said: str, value: float):
    score = RatingScorer().score(Reply(text=said), "in a tin", {}, DEFAULT)
    assert score is not None
    assert (score.value, score.label, score.detail) == (value, said, {"rating": int(said)})


@given(
    verdict=st.text() | st.sampled_from([A, f'["{A}", "{B}"]', "[" * 50, '{"a": "b"}']),
    judged=st.text() | st.just(f"{A} {B}"),
    name=st.sampled_from(sorted(VERDICT_SCORERS)),
    target=st.sampled_from([SINGLE, LIST, EVENTS]),
    truncated=st.booleans(),
)
def test_no_text_makes_a_verdict_scorer_fail(verdict, judged, name, target, truncated):
    reply = Reply(text=verdict, truncated=truncated)
    score = VERDICT_SCORERS[name].score(reply, judged, target, DEFAULT)
    assert score is None or 0 <= score.value <= 1
