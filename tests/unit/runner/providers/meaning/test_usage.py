"""The truth table: one bill, however the provider nests its counts."""

from typing import Any

import pytest

from runner.providers.meaning.usage import find_usage, is_plausible, read_usage
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
    "counts",
    [
        OPENAI,
        XAI,
        DEEPSEEK,
        ANTHROPIC,
        GEMINI,
    ],
)
def test_truth_table(counts: dict[str, Any]):
    usage = read_usage(counts, answered=True)
    assert usage is not None
    assert usage.input_tokens == INPUT - CACHED
    assert usage.cache_read_tokens == CACHED
    assert not usage.cache_write_tokens
    assert usage.output_tokens == OUTPUT - 1_024
    assert usage.reasoning_tokens == 1_024
    assert usage.total_input == INPUT
    assert usage.total_output == OUTPUT


def test_truth_table_in_pico_dollars():
    for counts in (
        OPENAI,
        ANTHROPIC,
        GEMINI,
    ):
        usage = read_usage(counts, answered=True)
        assert usage is not None
        pusd = (
            (usage.input_tokens or 0) * 1_250_000
            + (usage.cache_read_tokens or 0) * 625_000
            + (usage.total_output or 0) * 10_000_000
        )
        assert pusd == 184_918_125_000


def test_cache_writes_are_a_part_of_their_own():
    counts = OPENAI | {"prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 200}}
    usage = read_usage(counts, answered=True)
    assert usage is not None
    assert (usage.input_tokens, usage.cache_write_tokens) == (INPUT - 300, 200)
    usage = read_usage(ANTHROPIC | {"cache_creation_input_tokens": 200}, answered=True)
    assert usage is not None
    assert (usage.total_input, usage.cache_write_tokens) == (INPUT + 200, 200)


NONSENSE: list[Any] = [None, -1, "12", 1.5, True, [], float("inf"), float("nan"), 1 << 60]


@pytest.mark.parametrize("value", NONSENSE)
@pytest.mark.parametrize(
    ("counts", "key"),
    [
        (OPENAI, "prompt_tokens"),
        (OPENAI, "completion_tokens"),
        (ANTHROPIC, "input_tokens"),
        (ANTHROPIC, "output_tokens"),
        (GEMINI, "promptTokenCount"),
        (GEMINI, "candidatesTokenCount"),
    ],
)
def test_a_part_that_cannot_be_is_an_unknown_bill(counts: dict[str, Any], key: str, value: Any):
    assert read_usage(counts | {key: value}, answered=True) is None


@pytest.mark.parametrize(
    "counts",
    [
        {},
        OPENAI | {"prompt_tokens": 0},
        OPENAI | {"prompt_tokens": CACHED - 1},
        OPENAI | {"completion_tokens": 1_000},
        {"prompt_tokens": 5, "completion_tokens": 0},
        {"input_tokens": 0, "output_tokens": 4},
        {"input_tokens": 4, "output_tokens": 0},
        ANTHROPIC | {"output_tokens": 1_000},
        GEMINI | {"promptTokenCount": CACHED - 1},
        {"promptTokenCount": 5},
        {"promptTokenCount": 5, "totalTokenCount": 4},
    ],
)
def test_counts_that_contradict_each_other_are_an_unknown_bill(counts: dict[str, Any]):
    assert read_usage(counts, answered=True) is None


def test_gemini_leaves_out_a_count_of_none():
    counts = {"promptTokenCount": 50, "thoughtsTokenCount": 30, "totalTokenCount": 80}
    usage = read_usage(counts, answered=False)
    assert usage == Usage(input_tokens=50, output_tokens=0, reasoning_tokens=30)


def test_an_empty_reply_may_cost_no_output():
    usage = read_usage({"prompt_tokens": 5, "completion_tokens": 0}, answered=False)
    assert usage == Usage(input_tokens=5, output_tokens=0)


@pytest.mark.parametrize("value", [5.0, "5", True, -1, 10**9])
def test_a_detail_that_cannot_be_is_an_unknown_bill(value: Any):
    for counts in (
        {
            "prompt_tokens": 9,
            "completion_tokens": 9,
            "completion_tokens_details": {"reasoning_tokens": value},
        },
        {"prompt_tokens": 9, "completion_tokens": 9, "cached_tokens": value},
        {"input_tokens": 9, "output_tokens": 9, "cache_read_input_tokens": value},
        {"promptTokenCount": 9, "candidatesTokenCount": 9, "thoughtsTokenCount": value},
    ):
        assert read_usage(counts, answered=True) is None


@pytest.mark.parametrize(
    ("counts", "visible", "reasoning"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 512}, 3, 500),
        ({"input_tokens": 9, "output_tokens": 3, "total_tokens": 512}, 3, 500),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 13,
                "total_tokens": 512,
                "completion_tokens_details": {"reasoning_tokens": 10},
            },
            3,
            500,
        ),
        ({"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 512}, 3, 500),
    ],
)
def test_tokens_that_show_only_in_the_total_are_reasoning(
    counts: dict[str, Any], visible: int, reasoning: int
):
    assert read_usage(counts, answered=True) == Usage(
        input_tokens=9, output_tokens=visible, reasoning_tokens=reasoning
    )


@pytest.mark.parametrize(
    "counts",
    [
        {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 11},
        {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 0},
        {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": "12"},
        {"input_tokens": 9, "output_tokens": 3, "total_tokens": 11},
        {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 11},
    ],
)
def test_a_total_below_its_parts_is_an_unknown_bill(counts: dict[str, Any]):
    assert read_usage(counts, answered=True) is None


def test_a_router_that_leaves_the_cache_out_of_the_prompt_adds_up():
    counts = {
        "prompt_tokens": 100,
        "completion_tokens": 3,
        "total_tokens": 903,
        "prompt_tokens_details": {"cached_tokens": 800},
    }
    assert read_usage(counts, answered=True) == Usage(
        input_tokens=100, cache_read_tokens=800, output_tokens=3
    )


PLAIN = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}


@pytest.mark.parametrize(
    "body",
    [
        {"usage": PLAIN},
        {"choices": [{"usage": PLAIN}]},
        {"choices": [{"message": {"content": "x", "usage": PLAIN}}]},
        {"x_groq": {"id": "r", "usage": PLAIN}},
        {"x_gateway": {"billing": {"usage": PLAIN}}},
        {"usage": None, "meta": {"tokens": {"input_tokens": 900, "output_tokens": 30}}},
        {"usage": {}, "usage_metadata": {"promptTokenCount": 900, "candidatesTokenCount": 30}},
    ],
)
def test_a_bill_is_found_wherever_it_stands(body: dict[str, Any]):
    assert find_usage(body, answered=True) == Usage(input_tokens=900, output_tokens=30)


def test_no_bill_is_found_where_there_is_none():
    assert (
        find_usage({"choices": [{"message": {"content": "prompt_tokens"}}]}, answered=True) is None
    )
    assert find_usage({"usage": {"prompt_tokens": 5}}, answered=True) is None


def test_a_bill_that_the_request_cannot_have_is_not_believed():
    assert is_plausible(Usage(input_tokens=5_000, output_tokens=9), sent_bytes=4_000)
    assert not is_plausible(Usage(input_tokens=50_000_000, output_tokens=9), sent_bytes=4_000)
    assert not is_plausible(Usage(input_tokens=5, output_tokens=50_000_000), sent_bytes=4_000)
