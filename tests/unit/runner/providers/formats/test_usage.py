"""The truth table: one bill, however the provider nests its counts."""

from typing import Any

import pytest

from runner.providers.formats import anthropic_messages, gemini, openai_chat
from runner.wire import Usage

INPUT, CACHED, OUTPUT = 262_960, 257_955, 1_744

OPENAI = {
    "prompt_tokens": INPUT,
    "completion_tokens": OUTPUT,
    "total_tokens": INPUT + OUTPUT,
    "prompt_tokens_details": {"cached_tokens": CACHED},
    "completion_tokens_details": {"reasoning_tokens": 1_024},
}
XAI = OPENAI | {"completion_tokens": OUTPUT - 1_024}
DEEPSEEK = {
    "prompt_tokens": INPUT,
    "completion_tokens": OUTPUT,
    "prompt_cache_hit_tokens": CACHED,
    "completion_tokens_details": {"reasoning_tokens": 1_024},
}
ANTHROPIC = {
    "input_tokens": INPUT - CACHED,
    "cache_read_input_tokens": CACHED,
    "cache_creation_input_tokens": 0,
    "output_tokens": OUTPUT,
    "output_tokens_details": {"thinking_tokens": 1_024},
}
GEMINI = {
    "promptTokenCount": INPUT,
    "cachedContentTokenCount": CACHED,
    "candidatesTokenCount": OUTPUT - 1_024,
    "thoughtsTokenCount": 1_024,
    "totalTokenCount": INPUT + OUTPUT,
}


@pytest.mark.parametrize(
    ("read", "counts"),
    [
        (openai_chat.read_usage, OPENAI),
        (openai_chat.read_usage, XAI),
        (openai_chat.read_usage, DEEPSEEK),
        (anthropic_messages.read_usage, ANTHROPIC),
        (gemini.read_usage, GEMINI),
    ],
)
def test_truth_table(read: Any, counts: dict[str, Any]):
    usage = read(counts, answered=True)
    assert usage.input_tokens == INPUT - CACHED
    assert usage.cache_read_tokens == CACHED
    assert not usage.cache_write_tokens
    assert usage.output_tokens == OUTPUT - 1_024
    assert usage.reasoning_tokens == 1_024
    assert usage.total_input == INPUT
    assert usage.total_output == OUTPUT


def test_truth_table_in_pico_dollars():
    for read, counts in (
        (openai_chat.read_usage, OPENAI),
        (anthropic_messages.read_usage, ANTHROPIC),
        (gemini.read_usage, GEMINI),
    ):
        usage = read(counts, answered=True)
        assert usage is not None
        pusd = (
            (usage.input_tokens or 0) * 1_250_000
            + (usage.cache_read_tokens or 0) * 625_000
            + (usage.total_output or 0) * 10_000_000
        )
        assert pusd == 184_918_125_000


def test_cache_writes_are_a_part_of_their_own():
    counts = OPENAI | {"prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 200}}
    usage = openai_chat.read_usage(counts, answered=True)
    assert usage is not None
    assert (usage.input_tokens, usage.cache_write_tokens) == (INPUT - 300, 200)
    usage = anthropic_messages.read_usage(
        ANTHROPIC | {"cache_creation_input_tokens": 200}, answered=True
    )
    assert usage is not None
    assert (usage.total_input, usage.cache_write_tokens) == (INPUT + 200, 200)


NONSENSE: list[Any] = [None, -1, "12", 1.5, True, [], float("inf"), float("nan"), 1 << 60]


@pytest.mark.parametrize("value", NONSENSE)
@pytest.mark.parametrize(
    ("read", "counts", "key"),
    [
        (openai_chat.read_usage, OPENAI, "prompt_tokens"),
        (openai_chat.read_usage, OPENAI, "completion_tokens"),
        (anthropic_messages.read_usage, ANTHROPIC, "input_tokens"),
        (anthropic_messages.read_usage, ANTHROPIC, "output_tokens"),
        (gemini.read_usage, GEMINI, "promptTokenCount"),
        (gemini.read_usage, GEMINI, "candidatesTokenCount"),
    ],
)
def test_a_part_that_cannot_be_is_an_unknown_bill(
    read: Any, counts: dict[str, Any], key: str, value: Any
):
    assert read(counts | {key: value}, answered=True) is None


@pytest.mark.parametrize(
    ("read", "counts"),
    [
        (openai_chat.read_usage, {}),
        (openai_chat.read_usage, OPENAI | {"prompt_tokens": 0}),
        (openai_chat.read_usage, OPENAI | {"prompt_tokens": CACHED - 1}),
        (openai_chat.read_usage, OPENAI | {"completion_tokens": 1_000}),
        (openai_chat.read_usage, {"prompt_tokens": 5, "completion_tokens": 0}),
        (anthropic_messages.read_usage, {}),
        (anthropic_messages.read_usage, {"input_tokens": 0, "output_tokens": 4}),
        (anthropic_messages.read_usage, {"input_tokens": 4, "output_tokens": 0}),
        (anthropic_messages.read_usage, ANTHROPIC | {"output_tokens": 1_000}),
        (gemini.read_usage, {}),
        (gemini.read_usage, GEMINI | {"promptTokenCount": CACHED - 1}),
        (gemini.read_usage, {"promptTokenCount": 5}),
        (gemini.read_usage, {"promptTokenCount": 5, "totalTokenCount": 4}),
    ],
)
def test_counts_that_contradict_each_other_are_an_unknown_bill(read: Any, counts: dict[str, Any]):
    assert read(counts, answered=True) is None


def test_gemini_leaves_out_a_count_of_none():
    counts = {"promptTokenCount": 50, "thoughtsTokenCount": 30, "totalTokenCount": 80}
    usage = gemini.read_usage(counts, answered=False)
    assert usage == Usage(input_tokens=50, output_tokens=0, reasoning_tokens=30)


def test_an_empty_reply_may_cost_no_output():
    usage = openai_chat.read_usage({"prompt_tokens": 5, "completion_tokens": 0}, answered=False)
    assert usage == Usage(input_tokens=5, output_tokens=0)


def test_whole_numbers_sent_as_floats_are_counts():
    usage = openai_chat.read_usage({"prompt_tokens": 5.0, "completion_tokens": 2.0}, answered=True)
    assert usage == Usage(input_tokens=5, output_tokens=2)
