"""The `[[models]]` tables of a config: whom to ask, with what parameters, limits and price."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, cast, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from runner.config.complaints import did_you_mean, key_path
from runner.money.price import Price, Tier, per_token
from runner.vendors import ANY_SERVER, VENDORS, Naming, Vendor, Wire
from tasks.identity import stable_hash
from tasks.tokens import TokenizerName

VOCABULARIES: tuple[str, ...] = get_args(TokenizerName)

PARAMS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "seed",
    "stop",
    "reasoning_effort",
    "thinking_budget",
    "safety_settings",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
)
"""Decoding parameters in our names; each provider's own spelling is its wire format's business."""

SAFETY_THRESHOLDS = (
    "OFF",
    "BLOCK_NONE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_LOW_AND_ABOVE",
)
_OTHER_SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        "max_completion_tokens": "the output cap is max_tokens for every provider",
        "max_output_tokens": "the output cap is max_tokens for every provider",
        "maxOutputTokens": "the output cap is max_tokens for every provider",
        "max_new_tokens": "the output cap is max_tokens for every provider",
        "stream": "streaming is set beside params: stream = true",
        "n": "one reply is asked for; repeats are set in [sweep]",
        "model": "the model is named by id",
        "messages": "prompts come from the tasks",
    }
)

MAX_REPEATS = 1_000_000
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


class Strict(BaseModel):
    """A table in which unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Count = Annotated[int | None, Field(ge=1)]
UsdPerMillion = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class LimitsConfig(Strict):
    """What the account allows per minute (`rpd`: per day); absent ones are learned."""

    rpm: Count = None
    itpm: Count = None
    otpm: Count = None
    tpm: Count = None
    rpd: Count = None
    concurrency: Count = None
    group: Annotated[str | None, Field(min_length=1)] = None
    """Models of one account with the same group share one set of limits and slots."""


def smallest_limits(said: Iterable[LimitsConfig], group: str | None = None) -> LimitsConfig:
    """Of what the members of a group say of one limit, the smallest holds."""
    smallest: dict[str, int] = {}
    for each in said:
        for name, value in each.model_dump(exclude_none=True, exclude={"group"}).items():
            smallest[name] = min(value, smallest.get(name, value))
    return LimitsConfig(group=group, **smallest)


class TierConfig(Strict):
    """The prices of a request whose input exceeds `above` tokens."""

    above: Annotated[int, Field(ge=1)]
    input: UsdPerMillion
    output: UsdPerMillion
    cache_read: UsdPerMillion | None = None
    cache_write: UsdPerMillion | None = None
    reasoning: UsdPerMillion | None = None


class PriceConfig(Strict):
    """Prices in dollars per million tokens."""

    input: UsdPerMillion
    output: UsdPerMillion
    cache_read: UsdPerMillion | None = None
    cache_write: UsdPerMillion | None = None
    reasoning: UsdPerMillion | None = None
    request: UsdPerMillion = 0.0
    tiers: Annotated[tuple[TierConfig, ...], Field(strict=False)] = ()

    @field_validator("tiers")
    @classmethod
    def _ascending(cls, tiers: tuple[TierConfig, ...]) -> tuple[TierConfig, ...]:
        starts = [tier.above for tier in tiers]
        if len(set(starts)) < len(starts):
            raise ValueError("two tiers start at the same number of tokens")
        return tuple(sorted(tiers, key=lambda tier: tier.above))

    def to_price(self) -> Price:
        """The same in pico-dollars per token (`request`: per call, from dollars per thousand)."""
        return Price(
            **_rates(self),
            request=per_token(self.request) * 1000,
            tiers=tuple(Tier(above=tier.above, **_rates(tier)) for tier in self.tiers),
        )


def _rates(prices: PriceConfig | TierConfig) -> dict[str, Any]:
    names = ("input", "output", "cache_read", "cache_write", "reasoning")
    values = {name: getattr(prices, name) for name in names}
    return {name: None if usd is None else per_token(usd) for name, usd in values.items()}


class ModelConfig(Strict):
    """One `[[models]]` table."""

    id: str
    params: dict[str, Any] = Field(default_factory=dict[str, Any])
    limits: LimitsConfig = Field(default_factory=LimitsConfig)
    base_url: str | None = None
    api_key_env: str | None = None
    price: PriceConfig | None = None
    context_window: Annotated[int | None, Field(ge=1)] = None
    stream: bool = False
    bills_errors: bool = False
    """Whether this endpoint bills requests that it answers with an error; vendors do not."""
    repeats: Annotated[int | None, Field(ge=1, le=MAX_REPEATS)] = None
    """At most so many of each point, for a model that costs more than others."""
    inline_reasoning: bool = True
    """Whether `<think>...</think>` before an answer is reasoning; false leaves it in the answer."""
    api_version: str | None = None
    """What Gemini's paths begin with; v1beta unless it is said."""
    tokenizer: str | None = None

    @property
    def provider(self) -> str:
        """The part of the id before the first slash."""
        return self.id.partition("/")[0]

    @property
    def vendor(self) -> Vendor:
        """What is known of all models of its provider."""
        return VENDORS[self.provider]

    @property
    def name(self) -> str:
        """The part of the id that the provider knows; it may hold slashes itself."""
        return self.id.partition("/")[2]

    @field_validator("id")
    @classmethod
    def _id(cls, value: str) -> str:
        provider, slash, name = value.partition("/")
        if not slash or not name.strip() or value != value.strip():
            raise ValueError(f'{value!r} must be "provider/model", like "openai/gpt-4o"')
        if provider not in VENDORS:
            hint = did_you_mean(provider, VENDORS)
            raise ValueError(
                f"no provider {provider!r}{hint}; other servers are {ANY_SERVER}/MODEL"
            )
        only = VENDORS[provider].only_model
        if only is not None and name != only.name:
            one = f"{provider}/{only.name}"
            raise ValueError(f"no {provider} model {name!r}; there is one: {one}")
        return value

    @field_validator("price", mode="before")
    @classmethod
    def _free(cls, value: Any) -> Any:
        """`price = 0` says that a model is free; any other price is a table."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value == 0:
                return {"input": 0.0, "output": 0.0}
            raise ValueError(
                f"must be {{ input = {value}, output = ... }} in usd per million tokens"
            )
        return value

    @field_validator("api_key_env")
    @classmethod
    def _env(cls, value: str | None) -> str | None:
        # The value is not repeated: it may be a key of a shape we do not know.
        if value is not None and not _ENV_NAME.fullmatch(value):
            raise ValueError("must be the NAME of an environment variable, like MY_KEY")
        return value

    @field_validator("api_version")
    @classmethod
    def _version(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"v\d[a-z0-9]{0,20}", value):
            raise ValueError(f'{value!r} must be a version such as "v1beta"')
        return value

    @field_validator("tokenizer")
    @classmethod
    def _vocabulary(cls, value: str | None) -> str | None:
        if value is not None and value not in VOCABULARIES:
            raise ValueError(f"no vocabulary {value!r}{did_you_mean(value, VOCABULARIES)}")
        return value

    @field_validator("base_url")
    @classmethod
    def _url(cls, value: str | None) -> str | None:
        return None if value is None else check_url(value)

    @field_validator("params")
    @classmethod
    def _params(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, item in value.items():
            if name in _OTHER_SPELLINGS:
                raise ValueError(f"{name}: {_OTHER_SPELLINGS[name]}")
            check = _CHECKS.get(name)
            if check is not None:
                check(name, item)
        return value

    @model_validator(mode="after")
    def _whole(self) -> "ModelConfig":
        vendor = self.vendor
        if vendor.base_url is None and self.base_url is None:
            like = f"http://host:8000{'/v1' if vendor.base_ends_in_v1 else ''}"
            raise ValueError(f'base_url: is missing; {vendor.name} needs one, like "{like}"')
        if self.base_url is not None and not vendor.other_base_urls:
            raise ValueError(
                f"base_url: {vendor.name} starts its own server; another server is "
                f"{ANY_SERVER}/MODEL"
            )
        if self.api_version is not None and self.provider != "google":
            raise ValueError("api_version: only google has one; elsewhere base_url ends in it")
        for name in self.params:
            self._check_param(name)
        return self

    def _check_param(self, name: str) -> None:
        if name == "safety_settings" and self.vendor.wire is not Wire.GEMINI:
            raise ValueError(f"params.{name}: {self.provider} has none; Google's models have")
        if name == "thinking_budget" and self.vendor.naming is Naming.OPENAI:
            raise ValueError(f"params.{name}: {self.provider} takes reasoning_effort instead")
        if name in PARAMS:
            return
        # A server of the user's own may take what we have never heard of, but not a misspelling.
        if self.vendor.takes_any_parameter and not difflib.get_close_matches(
            name, PARAMS, cutoff=0.8
        ):
            return
        path = key_path(["params", name])
        raise ValueError(f"{path}: unknown parameter{did_you_mean(name, PARAMS)}")


MODEL_TABLES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {
        "models": ModelConfig,
        "models.limits": LimitsConfig,
        "models.price": PriceConfig,
        "models.price.tiers": TierConfig,
    }
)
"""Which record reads which table, so that an unknown key can be told its neighbours."""


def check_url(value: str) -> str:
    """The URL without its last slash. Raises ValueError, never repeating a password or a query."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError('must be a URL with its scheme, like "http://127.0.0.1:8000/v1"')
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user or password; name the key's variable: api_key_env")
    if parts.query or parts.fragment:
        raise ValueError("must not hold a query or fragment (keys are never sent in a URL)")
    return value.rstrip("/")


def _number(low: float, high: float) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} = {value!r}: must be a number")  # noqa: TRY004
        if not low <= value <= high:
            raise ValueError(f"{name} = {value!r}: must be from {low} to {high}")

    return check


def _whole(low: int, high: int) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{name} = {value!r}: must be a whole number")  # noqa: TRY004
        if not low <= value <= high:
            raise ValueError(f"{name} = {value!r}: must be from {low} to {high}")

    return check


def _stop(name: str, value: Any) -> None:
    words = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(word, str) and word for word in words):
        raise ValueError(f"{name}: must be text in quotes, or a list of texts")


def _safety(name: str, value: Any) -> None:
    tables = cast("dict[str, Any]", value).values() if isinstance(value, dict) else [value]
    for threshold in tables:
        if threshold not in SAFETY_THRESHOLDS:
            raise ValueError(
                f"{name} = {threshold!r}: must be a threshold for all categories, or a table of "
                f"them by category; thresholds: {', '.join(SAFETY_THRESHOLDS)}"
            )


_CHECKS: Mapping[str, Callable[[str, Any], None]] = MappingProxyType(
    {
        "temperature": _number(0, 2),
        "top_p": _number(0, 1),
        "min_p": _number(0, 1),
        "top_k": _whole(-1, 1_000_000),
        "max_tokens": _whole(1, 10_000_000),
        "seed": _whole(-(2**63), 2**63 - 1),
        "frequency_penalty": _number(-2, 2),
        "presence_penalty": _number(-2, 2),
        "repetition_penalty": _number(0, 10),
        "stop": _stop,
        "thinking_budget": _whole(-1, 10_000_000),
        "safety_settings": _safety,
    }
)


def check_distinct(models: Iterable[ModelConfig]) -> None:
    """Raise ValueError when two tables would make the same cells."""
    seen: set[str] = set()
    for model in models:
        facts = stable_hash([model.id, model.base_url, model.params])
        if facts in seen:
            raise ValueError(f"{model.id} stands twice with the same base_url and params")
        seen.add(facts)
