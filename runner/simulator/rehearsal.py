"""Simulated models that are like the real ones of a config: price, limits, window, vocabulary."""

from collections.abc import Iterable
from decimal import Decimal

from runner.models.spec import ModelSpec
from runner.money.price import Price, Rates
from runner.simulator.spec.settings import (
    CacheSettings,
    LatencySettings,
    LimitSettings,
    ModelSettings,
    PriceSettings,
    SimulatorSettings,
    TierSettings,
    TokenizerSettings,
)
from tasks.tokens import estimating_counter

USUAL_LATENCY = LatencySettings(
    first_token_s=0.6, per_input_token_s=2e-5, per_token_s=0.015, sigma=0.3
)
"""Of large hosted models: prefill at 50,000 tokens a second, 67 tokens a second out."""
_PICO_PER_USD_MTOK = 10**6
_PICO_PER_USD_THOUSAND = 10**9


def rehearsal_settings(
    models: Iterable[ModelSpec], *, seed: int = 0, latency: LatencySettings = USUAL_LATENCY
) -> SimulatorSettings:
    """A simulator for the models of one account; each is known under its own name only."""
    return SimulatorSettings(
        seed=seed,
        models={model.name: simulated_model(model, latency) for model in models},
        strict_models=True,
    )


def simulated_model(model: ModelSpec, latency: LatencySettings = USUAL_LATENCY) -> ModelSettings:
    """A model that costs, counts, limits and refuses as this one is known to."""
    limits = model.limits
    return ModelSettings(
        latency=latency,
        context_window=model.context_window,
        limits=LimitSettings(
            rpm=limits.rpm,
            itpm=limits.itpm,
            otpm=limits.otpm,
            tpm=limits.tpm,
            rpd=limits.rpd,
            concurrency=limits.concurrency,
        ),
        price=simulated_price(model.price),
        tokenizer=_tokenizer(model.name),
        cache=_cache(model),
    )


def simulated_price(price: Price | None) -> PriceSettings:
    """The same price list, in the simulator's own terms; an unknown price costs nothing."""
    if price is None:
        return PriceSettings()
    tiers = tuple(TierSettings(above=tier.above, **_usd(tier)) for tier in price.tiers)
    request = Decimal(price.request) / _PICO_PER_USD_THOUSAND
    return PriceSettings(**_usd(price), request=request, tiers=tiers)


def _usd(rates: Rates) -> dict[str, Decimal]:
    names = ("input", "output", "cache_read", "cache_write", "reasoning")
    pico: dict[str, int | None] = {name: getattr(rates, name) for name in names}
    return {
        name: Decimal(value) / _PICO_PER_USD_MTOK
        for name, value in pico.items()
        if value is not None
    }


def _tokenizer(name: str) -> TokenizerSettings:
    return TokenizerSettings(
        prose=estimating_counter(name, "prose").ratio.expected,
        uuid=estimating_counter(name, "uuid").ratio.expected,
        names=estimating_counter(name, "names").ratio.expected,
    )


def _cache(model: ModelSpec) -> CacheSettings | None:
    """Where cached input has a price there is a cache; Anthropic's must be asked for."""
    if model.price is None or model.price.cache_read is None:
        return None
    return CacheSettings(
        writes=model.price.cache_write is not None, explicit=model.provider == "anthropic"
    )
