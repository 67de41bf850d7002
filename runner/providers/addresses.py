"""Where each vendor's API is: what the vendors' own SDKs use; other providers need a base URL."""

from collections.abc import Mapping
from types import MappingProxyType

BASE_URLS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "https://api.openai.com/v1",
        "anthropic": "https://api.anthropic.com",
        "google": "https://generativelanguage.googleapis.com",
    }
)
