import itertools
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import UsageError
from runner.money.price import (
    FREE,
    MAX_PUSD,
    Price,
    Tier,
    cost,
    from_json,
    parse_usd,
    per_token,
    to_json,
    worst_case,
)
from runner.wire import Usage

GPT4O_LIKE = Price(
    input=per_token(1.25), cache_read=per_token(0.625), output=per_token(10), cache_write=None
)


def test_truth_table_to_the_last_pico_dollar() -> None:
    """262,960 input of which 257,955 cached, 1,744 output, 640 of them reasoning."""
    usage = Usage(
        input_tokens=5005, cache_read_tokens=257_955, output_tokens=1104, reasoning_tokens=640
    )
    assert cost(usage, GPT4O_LIKE) == 184_918_125_000


@pytest.mark.parametrize(
    ("usd", "pusd"),
    [(0.0, 0), (2.5, 2_500_000), (0.1, 100_000), (0.0375, 37_500), (0.000001, 1), (75, 75_000_000)],
)
def test_list_prices_are_whole_pico_dollars_per_token(usd: float, pusd: int) -> None:
    assert per_token(usd) == pusd


def test_float_noise_of_a_price_table_is_not_charged() -> None:
    assert per_token(Decimal("0.18000000000000002")) == 180_000
    assert per_token(Decimal("1.0399999999999998")) == 1_040_000


def test_a_price_finer_than_a_pico_dollar_is_rounded_up() -> None:
    assert per_token(Decimal("0.0000011")) == 2


TIERED = Price(
    input=10, output=20, cache_read=1, tiers=(Tier(above=200, input=100, output=200, cache_read=5),)
)


@pytest.mark.parametrize(
    ("read", "expected"), [(100, 100 * 10 + 100 + 20), (101, 10_000 + 505 + 200)]
)
def test_the_whole_request_moves_to_a_tier_and_the_boundary_stays(read: int, expected: int) -> None:
    usage = Usage(input_tokens=100, cache_read_tokens=read, output_tokens=1)
    assert cost(usage, TIERED) == expected


def test_the_highest_tier_reached_counts() -> None:
    price = Price(
        input=1,
        output=1,
        tiers=(Tier(above=10, input=2, output=2), Tier(above=20, input=3, output=3)),
    )
    assert [price.at(n).input for n in (10, 11, 20, 21)] == [1, 2, 2, 3]


def test_cached_input_without_its_own_price_costs_what_input_costs() -> None:
    price = Price(input=7, output=0)
    usage = Usage(input_tokens=1, cache_read_tokens=2, cache_write_tokens=3, output_tokens=0)
    assert cost(usage, price) == 42


def test_reasoning_is_output_unless_it_has_a_price() -> None:
    usage = Usage(input_tokens=0, output_tokens=1, reasoning_tokens=10)
    assert cost(usage, Price(input=0, output=3)) == 33
    assert cost(usage, Price(input=0, output=3, reasoning=1)) == 13


def test_a_fee_per_request_is_added_once() -> None:
    price = Price(input=1, output=1, request=1000)
    assert cost(Usage(input_tokens=2, output_tokens=3), price) == 1005
    assert worst_case(price, 2, 3) == 1005


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=3), Usage(output_tokens=3)])
def test_unknown_usage_has_no_cost(usage: Usage) -> None:
    assert cost(usage, TIERED) is None


def test_free_means_every_rate_is_zero() -> None:
    assert FREE.free
    assert not TIERED.free
    assert not Price(input=0, output=0, request=1).free
    assert not Price(input=0, output=0, tiers=(Tier(above=5, input=0, output=1),)).free


rate = st.integers(0, 10**8)
maybe_rate = st.none() | rate


@st.composite
def prices(draw: st.DrawFn, *, depth: int = 1) -> Price:
    starts = sorted(draw(st.sets(st.integers(0, 2000), max_size=3)))
    tiers = tuple(
        draw(
            st.builds(
                Tier,
                above=st.just(start),
                input=rate,
                output=rate,
                cache_read=maybe_rate,
                cache_write=maybe_rate,
                reasoning=maybe_rate,
            )
        )
        for start in starts
    )
    return Price(
        input=draw(rate),
        output=draw(rate),
        cache_read=draw(maybe_rate),
        cache_write=draw(maybe_rate),
        reasoning=draw(maybe_rate),
        tiers=tiers,
        request=draw(rate),
        batch=draw(st.none() | prices(depth=depth - 1)) if depth else None,
    )


tokens = st.integers(0, 1000)
usages = st.builds(
    Usage,
    input_tokens=tokens,
    cache_read_tokens=st.none() | tokens,
    cache_write_tokens=st.none() | tokens,
    output_tokens=tokens,
    reasoning_tokens=st.none() | tokens,
)


@given(prices(), usages, st.integers(0, 500), st.integers(0, 500))
def test_no_usage_within_its_bounds_costs_more_than_the_worst_case(
    price: Price, usage: Usage, spare_input: int, spare_output: int
) -> None:
    paid = cost(usage, price)
    total_input, total_output = usage.total_input, usage.total_output
    assert paid is not None
    assert total_input is not None
    assert total_output is not None
    assert worst_case(price, total_input + spare_input, total_output + spare_output) >= paid


@given(prices())
def test_a_price_survives_json(price: Price) -> None:
    assert from_json(orjson.loads(orjson.dumps(to_json(price)))) == price


@pytest.mark.parametrize(
    ("text", "pusd"),
    [
        ("500usd", 500 * 10**12),
        ("0.5usd", 5 * 10**11),
        ("$5", 5 * 10**12),
        (" 12 USD ", 12 * 10**12),
        ("1_000usd", 10**15),
        ("0usd", 0),
        ("0.000000000001usd", 1),
    ],
)
def test_budgets(text: str, pusd: int) -> None:
    assert parse_usd(text) == pusd


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("500eur", "only US dollars, like 500usd"),
        ("500", "the unit is missing"),
        ("5k", "no unit"),
        ("lots", "write it like"),
        ("-5usd", "write it like"),
        ("1,000usd", "write it like"),
        ("", "write it like"),
        ("0.0000000000001usd", "finer"),
        ("10000000usd", "9 million"),
        ("nanusd", "write it like"),
        ("$5eur", "only US dollars"),
    ],
)
def test_a_budget_that_does_not_parse_says_what_would(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_usd(text)
    assert "\n" not in str(caught.value)


@given(st.integers(0, MAX_PUSD))
def test_any_amount_a_file_can_hold_is_read_exactly(pusd: int) -> None:
    text = f"{Decimal(pusd).scaleb(-12):f}usd"
    assert parse_usd(text) == pusd


def test_tiers_are_given_by_total_input_only() -> None:
    """Any split of the same total lands in the same tier."""
    for read, write in itertools.product((0, 150), (0, 51)):
        usage = Usage(
            input_tokens=201 - read - write,
            cache_read_tokens=read,
            cache_write_tokens=write,
            output_tokens=0,
        )
        bill = cost(usage, TIERED)
        assert bill == (201 - read) * 100 + read * 5
