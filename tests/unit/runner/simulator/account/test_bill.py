"""The simulator's bill, checked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.money.price import Price, Tier, cost
from runner.rehearsal.stand_in import simulated_price
from runner.simulator.account.bill import Tally, cost_pusd
from runner.simulator.formats.anthropic import AnthropicFormat
from runner.simulator.formats.gemini import GeminiFormat
from runner.simulator.formats.openai import OpenAIFormat
from runner.simulator.spec.settings import PriceSettings
from runner.wire import Usage

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


def test_reasoning_and_calls_may_have_prices_of_their_own():
    tally = Tally(input=1, output=4, reasoning=5)
    rates = price(input=1, output=10, reasoning=2, request=0.5)
    assert cost_pusd(tally, rates) == 1_000_000 + 40_000_000 + 10_000_000 + 500_000_000


@given(
    rates=st.tuples(*[st.integers(0, 10**8)] * 5),
    above=st.integers(1, 5_000),
    counts=st.tuples(*[st.integers(0, 10_000)] * 5),
)
def test_the_client_and_the_server_work_out_the_same_bill(
    rates: tuple[int, ...], above: int, counts: tuple[int, ...]
):
    """Two pieces of code that share nothing but the price list."""
    names = ("input", "output", "cache_read", "cache_write", "reasoning")
    first = dict(zip(names, rates, strict=True))
    second = dict(zip(names, [rate * 2 for rate in rates], strict=True))
    listed = Price(**first, tiers=(Tier(above=above, **second),), request=7)
    tally = Tally(**dict(zip(names, counts, strict=True)))
    usage = Usage(
        input_tokens=tally.input,
        output_tokens=tally.output,
        cache_read_tokens=tally.cache_read,
        cache_write_tokens=tally.cache_write,
        reasoning_tokens=tally.reasoning,
    )
    assert cost_pusd(tally, simulated_price(listed)) == cost(usage, listed)
