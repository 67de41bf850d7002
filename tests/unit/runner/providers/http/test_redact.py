from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from runner.providers.http.redact import GRAM, REDACTED, Redactor
from runner.wire import Result
from state.records import Outcome

KEY = "sk-canary/+=0123456789abcdef"


def test_whole_encoded_and_cut_keys_are_taken_out():
    redactor = Redactor([KEY])
    for shown in (KEY, quote(KEY, safe=""), KEY[:12], KEY[5:], KEY[3:20], f"Bearer {KEY}x"):
        cleaned = redactor.clean(f"before {shown} after")
        assert REDACTED in cleaned
        assert not leaks(cleaned)
        assert cleaned.startswith("before ")
        assert cleaned.endswith(" after")


def leaks(text: str) -> bool:
    return any(KEY[start : start + GRAM] in text for start in range(len(KEY) - GRAM + 1))


@given(st.text(), st.integers(0, len(KEY)), st.integers(0, len(KEY)), st.text())
def test_nothing_of_a_key_is_left(before: str, start: int, end: int, after: str):
    assert not leaks(Redactor([KEY]).clean(before + KEY[start:end] + after))


def test_other_text_is_left_alone():
    text = "The model `gpt-9` does not exist or you do not have access to it."
    assert Redactor([KEY]).clean(text) == text
    assert Redactor([]).clean(text) == text
    assert Redactor([KEY]).clean("short") == "short"


def test_short_secrets_go_whole_and_tiny_ones_are_none():
    assert Redactor(["EMPTY"]).clean("key EMPTY given") == f"key {REDACTED} given"
    assert Redactor(["x"]).clean("xylophone") == "xylophone"


def test_every_text_of_a_result_is_cleaned():
    dirty = Result(
        outcome=Outcome.ANSWERED,
        reason=KEY,
        text=f"it is {KEY}",
        reasoning_text=KEY,
        finish_reason=KEY,
        model_reported=KEY,
        request_id=KEY,
        error=KEY[2:18],
    )
    redactor = Redactor([KEY])
    assert not leaks(repr(redactor.result(dirty)))
    clean = Result(outcome=Outcome.ANSWERED, text="42")
    assert redactor.result(clean) is clean
    assert not leaks(repr(redactor))
