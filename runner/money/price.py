"""What a call costs, in whole pico-dollars: a list price per million tokens is one per token.

A price per million tokens with up to six decimals is a whole number of pico-dollars per token, so
no bill is ever rounded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import ROUND_CEILING, Decimal
from typing import Any

from runner.errors import UsageError
from runner.wire import Usage

PUSD_PER_USD = 10**12
MAX_PUSD = 2**63 - 1
"""What a BIGINT column holds: 9.2 million dollars."""

_AMOUNT = re.compile(r"(?P<sign>\$?)\s*(?P<number>\d[\d_]*(?:\.\d+)?)\s*(?P<unit>[^\d\s.]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Pico-dollars per token; a part without its own rate is billed as the whole it belongs to."""

    input: int
    output: int
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    dearest_input: int = field(init=False, repr=False, compare=False)
    """The most that one input token can cost, cached or not."""
    dearest_output: int = field(init=False, repr=False, compare=False)
    """The most that one output token can cost, visible or not."""

    def __post_init__(self) -> None:
        dearest = max(self.input, self.cache_read or 0, self.cache_write or 0)
        object.__setattr__(self, "dearest_input", dearest)
        object.__setattr__(self, "dearest_output", max(self.output, self.reasoning or 0))

    def bill(self, usage: Usage) -> int:
        """The sum over the parts of a usage whose totals are known."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        thought = self.output if self.reasoning is None else self.reasoning
        return (
            (usage.input_tokens or 0) * self.input
            + (usage.cache_read_tokens or 0) * read
            + (usage.cache_write_tokens or 0) * write
            + (usage.output_tokens or 0) * self.output
            + (usage.reasoning_tokens or 0) * thought
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Rates):
    """The rates of a whole request once all its input tokens exceed `above`."""

    above: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(Rates):
    """Everything a model charges for text."""

    tiers: tuple[Tier, ...] = ()
    """Ascending by `above`."""
    request: int = 0
    """A fee per call, whatever its length."""
    batch: "Price | None" = None
    """The price through the provider's batch endpoint, where it is listed."""

    def at(self, total_input: int) -> Rates:
        """The rates of a request with that many input tokens; a boundary is in the low tier."""
        rates: Rates = self
        for tier in self.tiers:
            if total_input > tier.above:
                rates = tier
        return rates

    @property
    def free(self) -> bool:
        """No usage costs anything."""
        return not (self.request or _dearest(self) or any(_dearest(tier) for tier in self.tiers))


FREE = Price(input=0, output=0, cache_read=0, cache_write=0)


def _dearest(rates: Rates) -> int:
    return max(rates.dearest_input, rates.dearest_output)


def cost(usage: Usage, price: Price) -> int | None:
    """The bill of one call in pico-dollars; None when its usage is unknown."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    rates = price.at(usage.total_input or 0) if price.tiers else price
    return price.request + rates.bill(usage)


def worst_case(price: Price, input_tokens: int, max_output_tokens: int) -> int:
    """The most that a call within these bounds can cost, however its parts are billed."""
    dearest = _bound(price, input_tokens, max_output_tokens)
    for tier in price.tiers:
        if input_tokens > tier.above:
            dearest = max(dearest, _bound(tier, input_tokens, max_output_tokens))
    return price.request + dearest


def _bound(rates: Rates, input_tokens: int, output_tokens: int) -> int:
    return input_tokens * rates.dearest_input + output_tokens * rates.dearest_output


def parse_usd(text: str) -> int:
    """Pico-dollars of an amount such as `500usd`, `0.5usd` or `$5`. Raises UsageError."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is not an amount; write it like 500usd or 0.5usd")
    number, unit = found["number"], found["unit"].lower()
    if unit not in ("", "usd") or (unit == "" and not found["sign"]):
        reason = f"{unit!r} is no unit of money here" if unit else "the unit is missing"
        raise UsageError(f"{text!r}: {reason}; only US dollars, like {number}usd")
    pusd = Decimal(number.replace("_", "")) * PUSD_PER_USD
    if pusd != int(pusd):
        raise UsageError(f"{text!r} is finer than a pico-dollar (12 decimals)")
    if pusd > MAX_PUSD:
        raise UsageError(f"{text!r} is over the 9 million dollars that a file can hold")
    return int(pusd)


def per_token(usd_per_million: Decimal | float) -> int:
    """Pico-dollars per token of a price per million tokens.

    The shortest spelling of a float is what its author wrote, so 0.1 is exact. A price finer than
    six decimals is rounded up: a budget may be underused by a hair, never overrun.
    """
    exact = Decimal(str(usd_per_million)) * PUSD_PER_USD / 10**6
    # Twelve decimals first: price tables hold sums of binary floats such as 0.18000000000000002.
    return int(round(exact, 6).to_integral_value(rounding=ROUND_CEILING))


def to_json(price: Price) -> dict[str, Any]:
    """The price as JSON values in pico-dollars per token; unknown rates are null."""
    return {
        **_rates_json(price),
        "request": price.request,
        "tiers": [{"above": tier.above, **_rates_json(tier)} for tier in price.tiers],
        "batch": None if price.batch is None else to_json(price.batch),
    }


def from_json(value: Mapping[str, Any]) -> Price:
    """The inverse of `to_json`."""
    batch = value.get("batch")
    return Price(
        **_rates_of(value),
        request=value.get("request", 0),
        tiers=tuple(
            Tier(above=tier["above"], **_rates_of(tier)) for tier in value.get("tiers", ())
        ),
        batch=None if batch is None else from_json(batch),
    )


_RATES = tuple(each.name for each in fields(Rates) if each.init)


def _rates_json(rates: Rates) -> dict[str, int | None]:
    return {name: getattr(rates, name) for name in _RATES}


def _rates_of(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.get(name) for name in _RATES}
