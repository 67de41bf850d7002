from hypothesis import given
from hypothesis import strategies as st

from runner.tokens.cut import CUT_BELOW, unless_cut, was_cut
from runner.tokens.estimate import InputEstimate
from runner.wire import Result, Usage
from state.records import Outcome

LONG = InputEstimate(low=6_500, expected=8_100, worst=33_000)


def answer(billed: int | None, outcome: Outcome = Outcome.ANSWERED) -> Result:
    usage = None if billed is None else Usage(input_tokens=billed, output_tokens=3)
    return Result(outcome=outcome, text="42", finish_reason="stop", usage=usage)


def test_a_prompt_that_was_cut_is_no_prompt():
    result = unless_cut(answer(2_050), LONG)
    assert result.stored_outcome == "over_context:cut"
    assert "OLLAMA_CONTEXT_LENGTH" in (result.error or "")
    assert result.usage == Usage(input_tokens=2_050, output_tokens=3)


def test_cached_input_was_read_too():
    usage = Usage(input_tokens=50, cache_read_tokens=8_000, output_tokens=3)
    whole = Result(outcome=Outcome.ANSWERED, text="42", usage=usage)
    assert unless_cut(whole, LONG) is whole


def test_what_says_nothing_of_the_prompt_stays():
    for result in (answer(None), answer(8_000), answer(2_050, Outcome.TRANSIENT)):
        assert unless_cut(result, LONG) is result
    assert unless_cut(answer(12), LONG).outcome is Outcome.ANSWERED
    short = InputEstimate(low=100, expected=120, worst=200)
    assert unless_cut(answer(20), short).outcome is Outcome.ANSWERED


def test_a_guess_of_a_tokenizer_is_doubted_more_than_its_bill():
    guess = InputEstimate(low=1_315, expected=1_652, worst=2_287, guessed=True)
    assert unless_cut(answer(547), guess).outcome is Outcome.ANSWERED
    assert unless_cut(answer(390), guess).outcome is Outcome.OVER_CONTEXT
    sure = InputEstimate(low=1_315, expected=1_652, worst=2_287)
    assert unless_cut(answer(900), sure).outcome is Outcome.OVER_CONTEXT


def test_empty_replies_to_half_a_prompt_are_no_empty_replies():
    assert unless_cut(answer(2_050, Outcome.EMPTY), LONG).outcome is Outcome.OVER_CONTEXT


@given(st.integers(1, 10**7), st.integers(0, 10**7))
def test_a_bill_of_all_that_the_text_must_take_is_never_cut(low: int, more: int):
    estimate = InputEstimate(low=low, expected=low + more, worst=low + more)
    assert not was_cut(estimate, low)
    assert was_cut(estimate, int(low * CUT_BELOW) - 1) == (low >= 512)
