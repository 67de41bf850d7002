"""The simulator in the place of every provider: each model with its limits, prices and pace."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from runner.forecast.measure import Measured
from runner.forecast.per_model import Known
from runner.forecast.replies import THOUGHT_TOKENS
from runner.models.spec import ModelSpec
from runner.money.price import PUSD_PER_USD, Price, Rates
from runner.providers.formats.capabilities import capability
from runner.simulator.spec.settings import (
    LatencySettings,
    LimitSettings,
    ModelSettings,
    PriceSettings,
    ReasoningSettings,
    SimulatorSettings,
    TierSettings,
    TokenizerSettings,
)
from tasks.facts import TextKind
from tasks.tokens import estimating_counter

LATENCY_SIGMA = 0.3
"""Spread of latencies around the usual one: a tenth of calls take one and a half times as long."""
_KINDS: Sequence[TextKind] = ("prose", "uuid", "names")


def stand_in(spec: ModelSpec, known: Known, measured: Measured) -> ModelSettings:
    """A simulated model like this one, as far as it is known."""
    limits, pace = spec.limits, known.pace
    return ModelSettings(
        latency=LatencySettings(
            first_token_s=pace.first_token_s,
            per_token_s=pace.per_output_token_s,
            per_input_token_s=pace.per_input_token_s,
            sigma=LATENCY_SIGMA,
        ),
        context_window=spec.context_window,
        limits=LimitSettings(
            rpm=limits.rpm,
            itpm=limits.itpm,
            otpm=limits.otpm,
            tpm=limits.tpm,
            rpd=limits.rpd,
            group=limits.group,
        ),
        price=PriceSettings() if spec.price is None else simulated_price(spec.price),
        tokenizer=_tokenizer(spec, known, measured),
        reasoning=ReasoningSettings(tokens=_thoughts(spec), sigma=0.5),
    )


def _thoughts(spec: ModelSpec) -> int:
    reasons = capability(spec.provider, spec.name).reasoning
    return THOUGHT_TOKENS if reasons and spec.params.get("reasoning_effort") != "none" else 0


def simulated_price(price: Price) -> PriceSettings:
    """The same price in the simulator's own terms, dollars per million tokens."""
    return PriceSettings(
        **_rates(price),
        request=Decimal(price.request * 1000) / PUSD_PER_USD,
        tiers=tuple(TierSettings(above=tier.above, **_rates(tier)) for tier in price.tiers),
    )


def _rates(rates: Rates) -> dict[str, Any]:
    """Dollars per million tokens."""
    names = ("input", "output", "cache_read", "cache_write", "reasoning")
    given = {name: getattr(rates, name) for name in names}
    return {name: None if pusd is None else Decimal(pusd) / 10**6 for name, pusd in given.items()}


def _tokenizer(spec: ModelSpec, known: Known, measured: Measured) -> TokenizerSettings:
    """Tokens per character as they are expected of this model's prompts."""
    estimator = known.estimator_of("")
    rates: dict[str, float] = {}
    for kind in _KINDS:
        samples = [s for drawn in measured.samples.values() for s in drawn if s.kind == kind]
        chars = sum(sample.prompt.chars for sample in samples)
        tokens = sum(estimator.estimate(sample).expected for sample in samples)
        expected = estimating_counter(spec.name, kind).ratio.expected
        rates[kind] = tokens / chars if chars else expected
    return TokenizerSettings(prose=rates["prose"], uuid=rates["uuid"], names=rates["names"])


def settings_of(models: Mapping[str, ModelSettings]) -> SimulatorSettings:
    """Tell what one account's server is like."""
    return SimulatorSettings(models=dict(models), strict_models=True)
