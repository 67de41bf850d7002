"""What a simulated provider is like: one frozen tree, from code or from a TOML file."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from runner.errors import UsageError
from runner.simulator.spec.faults import FaultError, FaultName, InjectedFault, parse_fault
from tasks.plain_files import read_plain_text

Rate = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(gt=0)]
Usd = Annotated[Decimal, Field(ge=0)]


def _fault(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_fault(value)
    except FaultError as error:
        raise ValueError(str(error)) from error


Step = Annotated[InjectedFault, BeforeValidator(_fault)]


class Settings(BaseModel):
    """The base of all settings: frozen, and strict about names."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class LatencySettings(Settings):
    """Seconds a reply takes; every part is multiplied by a seeded log-normal factor."""

    first_token_s: Seconds = 0.0
    per_token_s: Seconds = 0.0
    per_input_token_s: Seconds = 0.0
    sigma: Seconds = 0.0


class LimitSettings(Settings):
    """Buckets per account and model: per minute, starting full; `rpd` per day."""

    rpm: Count | None = None
    itpm: Count | None = None
    otpm: Count | None = None
    tpm: Count | None = None
    rpd: Count | None = None
    concurrency: Count | None = None
    group: str | None = None
    """Models of one account with the same group share one set of buckets and slots: those of the
    one that is asked first."""
    oversize: Literal["debt", "reject"] = "debt"
    """A request larger than a bucket: taken when the bucket is full, or refused for good."""
    count_cached: bool = False
    """Whether input that was read from the cache counts."""
    count_max_tokens: bool = False
    """Whether the output cap is counted instead of the real output."""
    headers: bool = True
    """Whether replies tell the limits; some servers keep them to themselves."""


class TierSettings(Settings):
    """Prices of a whole request with more than `above` input tokens, in USD per million."""

    above: Count
    input: Usd
    output: Usd
    cache_read: Usd | None = None
    cache_write: Usd | None = None
    reasoning: Usd | None = None


class PriceSettings(Settings):
    """A model's prices in USD per million tokens."""

    input: Usd = Decimal(0)
    output: Usd = Decimal(0)
    cache_read: Usd | None = None
    cache_write: Usd | None = None
    reasoning: Usd | None = None
    request: Usd = Decimal(0)
    """USD per thousand calls, whatever their length."""
    tiers: tuple[TierSettings, ...] = ()


class TokenizerSettings(Settings):
    """A hidden vocabulary, described by tokens per character of each kind of text."""

    prose: float = Field(default=0.22, gt=0)
    uuid: float = Field(default=0.6135, gt=0)
    """49.08 tokens a pair of 80 characters; some vocabularies need 75."""
    names: float = Field(default=0.27, gt=0)
    """Lines about people's salaries."""
    non_ascii: float = Field(default=0.5, ge=0)
    """Added for each UTF-8 byte beyond one per character."""
    per_message: int = Field(default=4, ge=0)


class CacheSettings(Settings):
    """A prompt cache over common prefixes."""

    min_tokens: Count = 1024
    step_tokens: Count = 128
    ttl_s: Seconds = 300.0
    writes: bool = False
    """Whether new prefixes are billed as cache writes."""
    explicit: bool = False
    """Whether a request must ask for it (`cache_control`)."""


class ReasoningSettings(Settings):
    """Hidden tokens before the reply; they count against the output cap."""

    tokens: int = Field(default=0, ge=0)
    sigma: Seconds = 0.0
    visible: bool = False
    """Whether the reply carries a reasoning text."""


class Ability(Settings):
    """How far a reader gets: the chance to succeed is 75 % at `frontier_chars`.

    Effective length is `chars * steps**steps_power * (1 + depth_dip * 4 * d * (1 - d))` with the
    depth d in 0..1; the chance is `1 / (1 + (effective / frontier_chars)**sharpness / 3)`, or a
    hard step when `sharpness` is absent.
    """

    frontier_chars: float | None = Field(default=None, gt=0)
    """None: never fails."""
    sharpness: float | None = Field(default=6.0, gt=0)
    steps_power: float = Field(default=0.0, ge=0)
    depth_dip: float = Field(default=0.0, ge=0)


class ReaderSettings(Settings):
    """A model that truly reads, and fails in known ways."""

    ability: Ability = Ability()
    abilities: Mapping[str, Ability] = Field(default_factory=dict[str, Ability])
    """By what is asked (`single`, `threading`, `niah`, ...), instead of `ability`."""
    false_bias: Rate = 0.5
    """The chance to say False when it does not know."""
    no_verdict: Rate = 0.0
    """The chance to give no verdict at all on a true/false question."""
    early_answer: Rate = 0.0
    """The chance to answer before the reasoning, where reasoning was asked for."""
    skipped_fact: Rate = 0.0
    """The chance to leave out each key sentence of the reasoning."""
    hallucination: Rate = 0.5
    """The chance that a lost needle is made up instead of called absent."""
    no_marker: Rate = 0.0
    """The chance to give no answer marker, where one was asked for."""
    omission: Rate = 0.5
    """The chance that a wrong chain is short of a needle, rather than miscalculated."""
    prose_around: Rate = 0.0
    """The chance to wrap a bare answer in a sentence."""


class ScriptSettings(Settings):
    """Faults in their order, then none."""

    steps: tuple[Step, ...]
    when: str | None = None
    """Only for prompts that contain this."""
    per: Literal["model", "prompt"] = "model"
    """One course for all prompts, or one for each."""


class OutageSettings(Settings):
    """A time during which nobody is behind the gateway: each request meets one fault."""

    from_s: Seconds = 0.0
    """Since the server's start."""
    for_s: Seconds
    fault: Step = Field(default_factory=lambda: InjectedFault(name="502 html"))
    """What the gateway says; `reset` is a connection that is closed without an answer."""


class ModelSettings(Settings):
    """Describes one simulated model."""

    latency: LatencySettings = LatencySettings()
    context_window: Count | None = None
    max_output: Count | None = None
    limits: LimitSettings = LimitSettings()
    price: PriceSettings = PriceSettings()
    tokenizer: TokenizerSettings = TokenizerSettings()
    cache: CacheSettings | None = None
    reasoning: ReasoningSettings = ReasoningSettings()
    reader: ReaderSettings = ReaderSettings()
    reply: str | None = None
    """Say this instead of reading the prompt."""
    faults: Mapping[FaultName, Rate] = Field(default_factory=dict[FaultName, Rate])
    """How often each fault strikes."""
    script: tuple[Step, ...] = ()
    """Faults of the first requests, one each, then none."""
    scripts: tuple[ScriptSettings, ...] = ()
    outages: tuple[OutageSettings, ...] = ()
    rejects: tuple[str, ...] = ()
    """Parameters this model does not take."""
    wording: Literal["vendor", "vllm", "llama.cpp"] = "vendor"
    """Whose words an over-long prompt is refused with."""


class KeySettings(Settings):
    """Describes an account and its limits."""

    state: Literal["ok", "no_credit", "daily_limit"] = "ok"
    credit_usd: Usd | None = None
    """No credit is left once the bill reaches it."""


class SimulatorSettings(Settings):
    """Describes a whole simulated server."""

    seed: int = 0
    time_scale: float = Field(default=1.0, gt=0)
    """Simulated seconds in one real second."""
    models: Mapping[str, ModelSettings] = Field(default_factory=dict[str, ModelSettings])
    """By the name in the request, or `openai/NAME` for one dialect only."""
    default_model: ModelSettings = ModelSettings()
    strict_models: bool = False
    """Refuse names that `models` lacks, instead of serving `default_model`."""
    keys: Mapping[str, KeySettings] = Field(default_factory=dict[str, KeySettings])
    """Accounts by key; when there are none, any key or no key will do."""


def load_settings(path: Path) -> SimulatorSettings:
    """The settings in a TOML file; UsageError names the file, the key and what is wrong."""
    try:
        data = tomllib.loads(read_plain_text(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    try:
        return SimulatorSettings.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # A key of `keys` is a secret in shape, though not in fact: name the table only.
        where = [str(part) for part in first["loc"]]
        if where[:1] == ["keys"] and len(where) > 1:
            where[1] = "..."
        raise UsageError(f"{path}: {'.'.join(where)}: {first['msg']}") from error
