import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.providers.meaning.thoughts import apart, parted
from runner.wire import Result
from state.records import Outcome

PAIRS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<THINK>", "</THINK>"),
    ("<|think|>", "</|think|>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<unused94>thought", "<unused95>"),
    (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
]


def judged(text: str, outcome: Outcome = Outcome.ANSWERED, *, untagged: bool = False) -> Result:
    return apart(Result(outcome=outcome, text=text), parted(text), untagged=untagged)


@pytest.mark.parametrize(("start", "end"), PAIRS)
def test_reasoning_before_the_answer_is_reasoning(start: str, end: str):
    for text in (f"{start}\nmaybe 17\n{end}\n\n42", f"\n {start}maybe 17{end}42"):
        result = judged(text)
        assert (result.outcome, result.text) == (Outcome.ANSWERED, "42")
        assert "maybe 17" in (result.reasoning_text or "")


@pytest.mark.parametrize(("start", "end"), PAIRS)
def test_a_missing_opening_tag_changes_nothing(start: str, end: str):
    result = judged(f"maybe 17\n{end}\n\n42")
    assert (result.outcome, result.text) == (Outcome.ANSWERED, "42")
    assert (result.reasoning_text or "").startswith("maybe 17")


@pytest.mark.parametrize(("start", "end"), PAIRS)
def test_a_cut_in_the_reasoning_is_no_answer(start: str, end: str):
    result = judged(f"{start}\nmaybe 42 or", Outcome.TRUNCATED)
    assert (result.stored_outcome, result.text) == ("truncated_reasoning", "")
    assert result.reasoning_text == "maybe 42 or"


@pytest.mark.parametrize(("start", "end"), PAIRS)
def test_nothing_behind_the_reasoning_is_empty(start: str, end: str):
    for text in (f"{start}42{end}\n\n", f"42{end}", f"{start}42"):
        result = judged(text)
        assert (result.stored_outcome, result.text) == ("empty:reasoning_only", "")
        assert "42" in (result.reasoning_text or "")


def test_several_blocks_are_all_reasoning():
    result = judged("<think>a</think>\n<think>b</think>\n42")
    assert (result.text, result.reasoning_text) == ("42", "a\n\nb")


def test_reasoning_of_its_own_channel_comes_first():
    result = Result(outcome=Outcome.ANSWERED, text="<think>b</think>42", reasoning_text="a")
    assert apart(result, parted(result.text)).reasoning_text == "a\n\nb"


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "The tag <think> opens it",
        "42 <think>never mind</think>",
        "[Reasoning] first, then 42",
        "a < b > c",
        "<b>42</b>",
    ],
)
def test_text_without_reasoning_before_it_stays_as_it_is(text: str):
    assert judged(text) == Result(outcome=Outcome.ANSWERED, text=text)


def test_a_model_that_never_opens_its_tag_was_cut_while_reasoning():
    cut = judged("maybe 42 or", Outcome.TRUNCATED, untagged=True)
    assert cut.stored_outcome == "truncated_reasoning"
    assert judged("42", untagged=True).text == "42"


@given(st.text(alphabet="<>/think [] \n42|", max_size=60))
def test_no_text_is_lost_or_made_up(text: str):
    found = parted(text)
    if found is not None:
        assert found.text in text
        assert all(thought in text for thought in found.reasoning.split("\n\n"))
