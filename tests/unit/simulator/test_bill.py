"""The simulator's bill, checked by hand."""

import pytest

from runner.simulator.bill import Tally, cost_pusd
from runner.simulator.formats.anthropic import AnthropicFormat
from runner.simulator.formats.gemini import GeminiFormat
from runner.simulator.formats.openai import OpenAIFormat
from runner.simulator.settings import PriceSettings

TRUTH = Tally(input=262_960 - 257_955, cache_read=257_955, output=1_744)


def price(**fields: object) -> PriceSettings:
    return PriceSettings.model_validate(fields)


def test_truth_table():
    assert cost_pusd(TRUTH, price(input=1.25, cache_read=0.625, output=10)) == 184_918_125_000


def test_each_spelling_tells_the_same_tokens():
    openai, gemini = OpenAIFormat().usage(TRUTH), GeminiFormat().usage(TRUTH)
    anthropic = AnthropicFormat().usage(TRUTH)
    assert openai["prompt_tokens"] == gemini["promptTokenCount"] == 262_960
    assert openai["prompt_tokens_details"]["cached_tokens"] == 257_955
    assert gemini["cachedContentTokenCount"] == anthropic["cache_read_input_tokens"] == 257_955
    assert anthropic["input_tokens"] == 5_005


@pytest.mark.parametrize(("tokens", "rate"), [(200_000, 1_250_000), (200_001, 2_500_000)])
def test_a_tier_takes_the_whole_request_beyond_its_bound(tokens: int, rate: int):
    tiered = price(input=1.25, output=10, tiers=[{"above": 200_000, "input": 2.5, "output": 15}])
    assert cost_pusd(Tally(input=tokens), tiered) == tokens * rate


def test_cached_input_counts_towards_the_tier():
    tiered = price(input=1, output=1, tiers=[{"above": 100, "input": 2, "output": 2}])
    assert cost_pusd(Tally(input=1, cache_read=100), tiered) == 101 * 2_000_000


def test_reasoning_is_output_and_missing_cache_prices_are_input():
    tally = Tally(input=1, cache_read=2, cache_write=3, output=4, reasoning=5)
    assert cost_pusd(tally, price(input=1, output=10)) == 6 * 1_000_000 + 9 * 10_000_000
    assert cost_pusd(tally, price(input=1, cache_write=1.25)) == 6_750_000
