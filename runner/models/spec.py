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
from runner.vendors import LOCAL_CONTEXT, PROVIDER_DEFAULTS
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
    simulated: bool = False

    @property
    def account(self) -> str:
        """Who bills and limits: models with the same account stop together."""
        return f"{self.provider} {self.base_url} {self.api_key_env or ''}".rstrip()


def resolve_all(config: SweepConfig, now_us: int) -> tuple[ModelSpec, ...]:
    """Every model of a config, in its order, at the prices of that moment."""
    return tuple(resolve(model, now_us) for model in config.models)


def resolve(model: ModelConfig, now_us: int) -> ModelSpec:
    """The config's own words first, then what the provider and the price table say."""
    now = datetime.fromtimestamp(now_us / 1e6, UTC)
    defaults = PROVIDER_DEFAULTS[model.provider]
    listed = look_up(model.provider, model.name, model.base_url, now)
    price, source = _price(model, listed)
    return ModelSpec(
        id=model.id,
        provider=model.provider,
        name=model.name,
        base_url=model.base_url or defaults.base_url,
        api_key_env=model.api_key_env or defaults.api_key_env,
        params=model.params,
        limits=_limits(model),
        price=price,
        price_source=source,
        context_window=model.context_window or window_of(model.provider, model.name, listed),
        max_output=model.params.get("max_tokens"),
        tokenizer=model.tokenizer or tokenizer_of(model.name) or "",
        stream=model.stream,
        simulated=model.provider == "sim",
    )


def _price(model: ModelConfig, listed: Listed | None) -> tuple[Price | None, str]:
    if model.price is not None:
        return model.price.to_price(), "config"
    if model.provider == "local":
        return FREE, "runs on this machine"
    if model.provider == "sim":
        return FREE, "simulated"
    if listed is None or listed.price is None:
        return None, f"unknown: not in {table_name()}"
    return listed.price, listed.source


def _limits(model: ModelConfig) -> LimitsConfig:
    if model.provider == "local" and model.limits.concurrency is None:
        # One slot: a second call waits at the server so that it is never idle; more only grow old.
        return model.limits.model_copy(update={"concurrency": 2})
    return model.limits


def window_of(provider: str, name: str, listed: Listed | None) -> int | None:
    """The published context window in tokens, where it is known."""
    if provider == "local":
        return LOCAL_CONTEXT
    if listed is not None and listed.context_window is not None:
        return listed.context_window
    if provider == "google" and _GEMINI_MILLION.match(name):
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
