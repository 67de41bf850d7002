"""What is known of each vendor before a config is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

WITHOUT_PATTERN = frozenset({"local", "openai", "anthropic", "google"})
"""Hundreds of resold models are listed too; they are shown when asked for."""


ProviderName = Literal["openai", "anthropic", "google", "compat", "local", "sim"]


PROVIDERS: tuple[str, ...] = get_args(ProviderName)


TAKE_ANY_PARAMETER = frozenset({"compat", "local", "sim"})


ALSO: Mapping[str, tuple[str, ...]] = MappingProxyType({"GEMINI_API_KEY": ("GOOGLE_API_KEY",)})
"""Other variables that the vendor's SDK accepts."""


LOCAL_MODEL = "smollm2-135m-instruct"


LOCAL_CONTEXT = 8192
"""The window of the weights; one slot has all of it."""


BASE_URLS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "https://api.openai.com/v1",
        "anthropic": "https://api.anthropic.com",
        "google": "https://generativelanguage.googleapis.com",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderDefaults:
    """What a provider's models have in common."""

    base_url: str = ""
    api_key_env: str | None = None
    """The variable that the vendor's own SDK reads."""


PROVIDER_DEFAULTS: Mapping[str, ProviderDefaults] = MappingProxyType(
    {
        "openai": ProviderDefaults(base_url=BASE_URLS["openai"], api_key_env="OPENAI_API_KEY"),
        "anthropic": ProviderDefaults(
            base_url=BASE_URLS["anthropic"], api_key_env="ANTHROPIC_API_KEY"
        ),
        "google": ProviderDefaults(base_url=BASE_URLS["google"], api_key_env="GEMINI_API_KEY"),
        "compat": ProviderDefaults(),
        # Servers that we start ourselves have another port each time: a resumed sweep must find
        # the same cells, so the identity is this name and not the address.
        "local": ProviderDefaults(base_url="local://"),
        "sim": ProviderDefaults(base_url="sim://"),
    }
)


OURS = {"openai": "openai", "anthropic": "anthropic", "google": "google"}
"""Our providers whose prices are looked up by name; a compat server's by its base URL."""


OURS_BACK = {**{theirs: ours for ours, theirs in OURS.items()}, "local": "local"}


MODEL_LISTS: Mapping[str, str] = {
    "openai": "/models",
    "compat": "/models",
    "anthropic": "/v1/models",
    "google": "/v1beta/models",
}
"""Where a provider lists its models, and has one by its name, after the base URL."""


WHOLE_LIST: Mapping[str, str] = {"anthropic": "?limit=1000", "google": "?pageSize=1000"}


OWN_SERVERS = frozenset({"local", "sim"})
"""Servers that we start ourselves: what they are is known."""
