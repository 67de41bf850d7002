"""What is known of each model before it is asked: where it is, what it costs, how much it holds."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from runner.config.models import LimitsConfig, ModelConfig
from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.money.price import FREE, Price
from runner.money.price_list import Listed, look_up, table_name
from runner.vendors import VENDORS, FreeOfCharge, Naming, OwnServer, Vendor
from tasks.tokens import tokenizer_of

_GEMINI_MILLION = re.compile(r"gemini-(2\.5|3|3\.1)-(pro|flash)(-preview|$)")
"""Text models that the price table lists without a window; Google publishes 1,048,576 for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One model of a sweep, with everything resolved but the key's value."""

    id: str
    provider: str
    name: str
    """What the provider calls it."""
    base_url: str
    """Part of a cell's identity; `local://` and `sim://` stand for servers of our own."""
    api_key_env: str | None
    """Name of the variable that holds the key; None for a server that wants none."""
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    price: Price | None = None
    price_source: str = "unknown"
    context_window: int | None = None
    max_output: int | None = None
    """The output cap that the config sets for every task."""
    tokenizer: str = ""
    """Name of the published tokenizer; empty where there is none."""
    stream: bool = False
    bills_errors: bool = False
    """Whether a complete error answer may have been billed."""
    inline_reasoning: bool = True
    api_version: str | None = None
    simulated: bool = False
    repeats: int | None = None
    """At most so many of each point."""

    @property
    def account(self) -> str:
        """Who bills and limits: models with the same account stop together."""
        return f"{self.provider} {self.base_url} {self.api_key_env or ''}".rstrip()

    @property
    def vendor(self) -> Vendor:
        """What is known of all models of its provider."""
        return VENDORS[self.provider]


def resolve_all(config: SweepConfig, now_us: int) -> tuple[ModelSpec, ...]:
    """Every model of a config, in its order, at the prices of that moment."""
    return tuple(resolve(model, now_us) for model in config.models)


def resolve(model: ModelConfig, now_us: int) -> ModelSpec:
    """The config's own words first, then what the provider and the price table say."""
    now = datetime.fromtimestamp(now_us / 1e6, UTC)
    vendor = model.vendor
    listed = look_up(model.provider, model.name, model.base_url, now)
    price, source = _price(model, listed)
    return ModelSpec(
        id=model.id,
        provider=model.provider,
        name=model.name,
        base_url=model.base_url or vendor.base_url or "",
        api_key_env=model.api_key_env or vendor.key_variable,
        params=model.params,
        limits=_limits(model),
        price=price,
        price_source=source,
        context_window=model.context_window or window_of(model.provider, model.name, listed),
        max_output=model.params.get("max_tokens"),
        tokenizer=model.tokenizer or tokenizer_of(model.name) or "",
        stream=model.stream,
        bills_errors=model.bills_errors,
        inline_reasoning=model.inline_reasoning,
        api_version=model.api_version,
        simulated=vendor.own_server is OwnServer.SIMULATOR,
        repeats=model.repeats,
    )


def _price(model: ModelConfig, listed: Listed | None) -> tuple[Price | None, str]:
    if model.price is not None:
        return model.price.to_price(), "config"
    if isinstance(model.vendor.prices, FreeOfCharge):
        return FREE, model.vendor.prices.because
    if listed is None or listed.price is None:
        return None, f"unknown: not in {table_name()}"
    return listed.price, listed.source


def _limits(model: ModelConfig) -> LimitsConfig:
    usual = model.vendor.concurrency
    if usual is None or model.limits.concurrency is not None:
        return model.limits
    return model.limits.model_copy(update={"concurrency": usual})


def window_of(provider: str, name: str, listed: Listed | None) -> int | None:
    """The published context window in tokens, where it is known."""
    vendor = VENDORS[provider]
    if vendor.only_model is not None:
        return vendor.only_model.context_window
    if listed is not None and listed.context_window is not None:
        return listed.context_window
    if vendor.naming is Naming.GOOGLE and _GEMINI_MILLION.match(name):
        return 1_048_576
    return None


def require_prices(models: Iterable[ModelSpec], where: str) -> None:
    """Raise UsageError for the first model that a budget cannot be kept for."""
    for model in models:
        if model.price is None:
            raise UsageError(
                f"{where}: models[{model.id}].price: is unknown, so a budget cannot be kept; add "
                "price = { input = USD, output = USD } per million tokens, or price = 0 if free"
            )
