"""List prices and context windows from the genai-prices package, whose data ships in its wheel.

Nothing is fetched: the package's updater is never called.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import TypedDict

from genai_prices import data_snapshot
from genai_prices.types import (
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    Provider,
    StartDateConstraint,
    TieredPrices,
    TimeOfDateConstraint,
)

from runner.money.price import Price, Tier, per_token
from runner.vendors import ANY_SERVER, VENDORS, FreeOfCharge, PricedByName, PricedByUrl

_BATCH = {"processing": "batch"}


class _Rates(TypedDict):
    """The fields that a price and its tiers share."""

    input: int
    output: int
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One model of the table."""

    provider: str
    """The table's own name of whoever sells it."""
    model: str
    """The table's own name of it; several of a provider's names may mean the same entry."""
    price: Price | None
    """None where text is not sold by the token."""
    context_window: int | None
    since: date | None
    """When this price came into force, where the table says."""

    @property
    def source(self) -> str:
        """Where price and window come from, in one phrase."""
        since = f", since {self.since}" if self.since else ""
        return f"{table_name()}: {self.provider} {self.model}{since}"


def table_name() -> str:
    """The table and its version."""
    return f"genai-prices {version('genai-prices')}"


def newest_change(today: date) -> date | None:
    """The latest dated price that is in force: how fresh the table is, as far as it tells."""
    starts = (
        entry.constraint.start_date
        for provider in data_snapshot.get_snapshot().providers
        for model in provider.models
        if not isinstance(model.prices, ModelPrice)
        for entry in model.prices
        if isinstance(entry.constraint, StartDateConstraint)
    )
    return max((start for start in starts if start <= today), default=None)


def look_up(vendor: str, name: str, base_url: str | None, now: datetime) -> Listed | None:
    """The entry of a model under one of our vendors, or None when the table lacks it."""
    snapshot = data_snapshot.get_snapshot()
    try:
        seller = _seller(snapshot, vendor, base_url)
        if seller is None:
            return None
        seller, model = snapshot.find_provider_model(name, seller, None, None)
    except LookupError:
        return None
    return _listed(seller, model, now)


def entries(now: datetime) -> list[Listed]:
    """Every model of the table, in its order."""
    return [
        _listed(provider, model, now)
        for provider in data_snapshot.get_snapshot().providers
        for model in provider.models
    ]


def our_id(listed: Listed) -> str:
    """The id under which a config names the model."""
    prices = PricedByName(listed.provider)
    sellers = (vendor.name for vendor in VENDORS.values() if vendor.prices == prices)
    return f"{next(sellers, ANY_SERVER)}/{listed.model}"


def _seller(
    snapshot: data_snapshot.DataSnapshot, vendor: str, base_url: str | None
) -> Provider | None:
    match VENDORS[vendor].prices:
        case PricedByName(seller):
            return snapshot.find_provider(None, seller, None)
        case PricedByUrl():
            return _seller_at(snapshot, base_url)
        case FreeOfCharge():
            return None


def _seller_at(snapshot: data_snapshot.DataSnapshot, base_url: str | None) -> Provider | None:
    if base_url is None:
        return None
    # Aggregators sell under their own prices, so only the server itself says whose price holds.
    return next((it for it in snapshot.providers if re.match(it.api_pattern, base_url)), None)


def _listed(provider: Provider, model: ModelInfo, now: datetime) -> Listed:
    prices, since = _in_force(model, now)
    price = _to_price(prices)
    if price is not None:
        price = replace(price, batch=_batch_price(model, now))
    return Listed(
        provider=provider.id,
        model=model.id,
        price=price,
        context_window=model.context_window,
        since=since,
    )


def _in_force(model: ModelInfo, now: datetime) -> tuple[ModelPrice, date | None]:
    """The standard price today; of several through the day, the dearest.

    A sweep runs through days and nights at one price, and must not overrun its budget in either.
    """
    if isinstance(model.prices, ModelPrice):
        return model.prices, None
    dated = [entry for entry in model.prices if not _by_hour(entry)]
    active = [
        entry for entry in dated if entry.constraint is None or entry.constraint.active(now)
    ] or dated[:1]
    base = active[-1] if active else model.prices[0]
    later = model.prices[model.prices.index(base) + 1 :]
    candidates = [base, *(entry for entry in later if _by_hour(entry))]
    dearest = max(candidates, key=lambda entry: _first(entry.prices.input_mtok))
    start = base.constraint
    return dearest.prices, start.start_date if isinstance(start, StartDateConstraint) else None


def _by_hour(entry: ConditionalPrice) -> bool:
    return isinstance(entry.constraint, TimeOfDateConstraint)


def _batch_price(model: ModelInfo, now: datetime) -> Price | None:
    """The price through the batch endpoint, where it is listed and in force."""
    for variant in model.price_variants or ():
        in_force = variant.constraint is None or variant.constraint.active(now)
        if variant.when == _BATCH and in_force:
            return _to_price(model.get_prices(now, _BATCH))
    return None


_KEYS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "reasoning": "output_reasoning_mtok",
}
"""Our rates, and the table's names for them in dollars per million tokens."""


def _to_price(prices: ModelPrice) -> Price | None:
    listed: dict[str, Decimal | TieredPrices] = {}
    for ours, theirs in _KEYS.items():
        value = getattr(prices, theirs)
        if value is not None:
            listed[ours] = value
    if "input" not in listed:
        return None
    starts = {
        tier.start
        for value in listed.values()
        if isinstance(value, TieredPrices)
        for tier in value.tiers
    }
    return Price(
        **_rates(listed, 0),
        tiers=tuple(Tier(above=start, **_rates(listed, start + 1)) for start in sorted(starts)),
        request=per_token(_first(prices.requests_kcount)) * 1000,
    )


def _rates(listed: Mapping[str, Decimal | TieredPrices], total_input: int) -> _Rates:
    """Rates of a request with that many input tokens."""
    rates = {name: per_token(_at(value, total_input)) for name, value in listed.items()}
    return {
        "input": rates["input"],
        "output": rates.get("output", 0),
        "cache_read": rates.get("cache_read"),
        "cache_write": rates.get("cache_write"),
        "reasoning": rates.get("reasoning"),
    }


def _at(value: Decimal | TieredPrices, total_input: int) -> Decimal:
    if not isinstance(value, TieredPrices):
        return value
    reached = [tier.price for tier in value.tiers if total_input > tier.start]
    return reached[-1] if reached else value.base


def _first(value: Decimal | TieredPrices | None) -> Decimal:
    return Decimal(0) if value is None else _at(value, 0)
