"""The provider's own bill, in integer pico-dollars, worked out apart from the client's."""

from dataclasses import dataclass
from decimal import Decimal

from runner.simulator.spec.settings import PriceSettings, TierSettings

PICO_PER_USD_MTOK = 1_000_000
"""One dollar per million tokens is a million pico-dollars per token."""
PICO_PER_USD = 10**12
PICO_PER_USD_THOUSAND = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Tokens of one request, in disjoint parts."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total_input(self) -> int:
        """All input, wherever it came from."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total_output(self) -> int:
        """All that was generated, seen or not."""
        return self.output + self.reasoning


def _pico(usd_per_million: Decimal) -> int:
    return int(usd_per_million * PICO_PER_USD_MTOK)


def _rates(price: PriceSettings, total_input: int) -> PriceSettings | TierSettings:
    chosen: PriceSettings | TierSettings = price
    for tier in sorted(price.tiers, key=lambda tier: tier.above):
        if total_input > tier.above:
            chosen = tier
    return chosen


def cost_pusd(tally: Tally, price: PriceSettings) -> int:
    """What a request costs; beyond a tier's bound the whole request costs the tier's price."""
    rates = _rates(price, tally.total_input)
    read = rates.input if rates.cache_read is None else rates.cache_read
    thought = rates.output if rates.reasoning is None else rates.reasoning
    write = rates.input if rates.cache_write is None else rates.cache_write
    return (
        tally.input * _pico(rates.input)
        + tally.cache_read * _pico(read)
        + tally.cache_write * _pico(write)
        + tally.output * _pico(rates.output)
        + tally.reasoning * _pico(thought)
        + int(price.request * PICO_PER_USD_THOUSAND)
    )
