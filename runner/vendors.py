"""What is known of each vendor before a config is read: one record each, in one table.

A vendor that speaks a known wire format is one more record here and nothing elsewhere. No field
has a default: what is not decided is a type error. The table is asked whenever something is to be
known, and nobody keeps a copy of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Wire(StrEnum):
    """The wire formats that are spoken (`runner.providers.catalog` has a speaker of each)."""

    OPENAI_CHAT = "openai chat"
    ANTHROPIC_MESSAGES = "anthropic messages"
    GEMINI = "gemini"


class Naming(StrEnum):
    """Whose published model names tell which parameters a model takes and what it holds."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    ANYBODY = "anybody"
    """Any model may stand behind a name, so that a name tells nothing."""


class OwnServer(StrEnum):
    """The servers that a sweep starts for itself (`runner.endpoints.own`)."""

    LOCAL_MODEL = "local model"
    SIMULATOR = "simulator"


@dataclass(frozen=True, slots=True)
class PricedByName:
    """The price table lists the vendor's models under this seller."""

    seller: str


@dataclass(frozen=True, slots=True)
class PricedByUrl:
    """The base URL says who sells: the price table knows the sellers' addresses."""


@dataclass(frozen=True, slots=True)
class FreeOfCharge:
    """Nobody bills for the vendor's models."""

    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelList:
    """Where a vendor lists its models, and describes one that is asked for by its name."""

    path: str
    """What follows the base URL; a slash and a name after it ask for one model."""
    whole: str
    """The query that asks for all models on one page; empty where there is one page only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """The one model that a vendor has."""

    name: str
    context_window: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """Who answers under the first part of a model's id."""

    name: str
    """What stands before the first slash of an id; part of a cell's identity."""
    wire: Wire
    naming: Naming
    base_url: str | None
    """Part of a cell's identity; None where the config has to name one."""
    other_base_urls: bool
    """Whether a config may name another base URL; if not, the server is one that we start."""
    base_ends_in_v1: bool
    """Whether a base URL ends in /v1; otherwise the version stands in the wire format's paths."""
    key_variables: tuple[str, ...]
    """The variable that the vendor's own SDK reads first, then others that it accepts."""
    prices: PricedByName | PricedByUrl | FreeOfCharge
    model_list: ModelList | None
    """None where nobody can be asked before a sweep."""
    only_model: ServedModel | None
    """None where a config may name any model."""
    own_server: OwnServer | None
    """What a sweep starts for the vendor's own base URL; None where somebody else's server is."""
    takes_any_parameter: bool
    """Whether a config may set decoding parameters that we have never heard of."""
    shown_unasked: bool
    """Whether `runner models` shows its models when no pattern is given."""
    concurrency: int | None
    """Calls at a time where the config does not say; None where that is learned."""

    @property
    def key_variable(self) -> str | None:
        """The variable that holds the key; None for a server that wants none."""
        return self.key_variables[0] if self.key_variables else None


SMOLLM2 = ServedModel(name="smollm2-135m-instruct", context_window=8192)
"""The weights in the `local` extra; one slot of the server has the whole window."""

ANY_SERVER = "compat"
"""The vendor under which a config can reach any server: it names the server's base URL itself."""

_VENDORS = (
    Vendor(
        name="openai",
        wire=Wire.OPENAI_CHAT,
        naming=Naming.OPENAI,
        base_url="https://api.openai.com/v1",
        other_base_urls=True,
        base_ends_in_v1=True,
        key_variables=("OPENAI_API_KEY",),
        prices=PricedByName("openai"),
        model_list=ModelList(path="/models", whole=""),
        only_model=None,
        own_server=None,
        takes_any_parameter=False,
        shown_unasked=True,
        concurrency=None,
    ),
    Vendor(
        name="anthropic",
        wire=Wire.ANTHROPIC_MESSAGES,
        naming=Naming.ANTHROPIC,
        base_url="https://api.anthropic.com",
        other_base_urls=True,
        base_ends_in_v1=False,
        key_variables=("ANTHROPIC_API_KEY",),
        prices=PricedByName("anthropic"),
        model_list=ModelList(path="/v1/models", whole="?limit=1000"),
        only_model=None,
        own_server=None,
        takes_any_parameter=False,
        shown_unasked=True,
        concurrency=None,
    ),
    Vendor(
        name="google",
        wire=Wire.GEMINI,
        naming=Naming.GOOGLE,
        base_url="https://generativelanguage.googleapis.com",
        other_base_urls=True,
        base_ends_in_v1=False,
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        prices=PricedByName("google"),
        model_list=ModelList(path="/v1beta/models", whole="?pageSize=1000"),
        only_model=None,
        own_server=None,
        takes_any_parameter=False,
        shown_unasked=True,
        concurrency=None,
    ),
    Vendor(
        name=ANY_SERVER,
        wire=Wire.OPENAI_CHAT,
        naming=Naming.ANYBODY,
        base_url=None,
        other_base_urls=True,
        base_ends_in_v1=True,
        key_variables=(),
        prices=PricedByUrl(),
        model_list=ModelList(path="/models", whole=""),
        only_model=None,
        own_server=None,
        takes_any_parameter=True,
        # Hundreds of resold models would be listed.
        shown_unasked=False,
        concurrency=None,
    ),
    Vendor(
        name="local",
        wire=Wire.OPENAI_CHAT,
        naming=Naming.ANYBODY,
        # A server that we start has another port each time: a resumed sweep must find the same
        # cells, so the identity is this name and not the address.
        base_url="local://",
        other_base_urls=False,
        base_ends_in_v1=True,
        key_variables=(),
        prices=FreeOfCharge("runs on this machine"),
        model_list=None,
        only_model=SMOLLM2,
        own_server=OwnServer.LOCAL_MODEL,
        takes_any_parameter=True,
        shown_unasked=True,
        # One slot: a second call waits at the server so that it is never idle; more only grow old.
        concurrency=2,
    ),
    Vendor(
        name="sim",
        wire=Wire.OPENAI_CHAT,
        naming=Naming.ANYBODY,
        base_url="sim://",
        other_base_urls=True,
        base_ends_in_v1=True,
        key_variables=(),
        prices=FreeOfCharge("simulated"),
        model_list=None,
        only_model=None,
        own_server=OwnServer.SIMULATOR,
        takes_any_parameter=True,
        shown_unasked=False,
        concurrency=None,
    ),
)

VENDORS: Mapping[str, Vendor] = {vendor.name: vendor for vendor in _VENDORS}
"""All vendors by name, in the order in which messages list them."""


def accepted_variables(variable: str) -> tuple[str, ...]:
    """The variable, and the others in which the SDK that reads it finds the same key."""
    known = (vendor.key_variables for vendor in VENDORS.values())
    return next((names for names in known if names[:1] == (variable,)), (variable,))
