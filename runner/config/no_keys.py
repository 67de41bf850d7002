"""Refuses a config that holds an API key, before anything in it is read or repeated."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from runner.config.complaints import key_path
from runner.errors import UsageError

Location = tuple[str | int, ...]

_KEY_NAMES = frozenset(
    {
        "access_token",
        "api_key",
        "api_secret",
        "api_token",
        "apikey",
        "auth",
        "auth_token",
        "authorization",
        "bearer",
        "credential",
        "credentials",
        "key",
        "password",
        "proxy_authorization",
        "secret",
        "secret_key",
        "token",
        "x_api_key",
        "x_goog_api_key",
    }
)
"""Names, in lower case and with underscores, under which people keep keys."""

_KEY_SHAPES = re.compile(
    r"\bsk-[\w-]{8,}"  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"|\bAIza[\w-]{20,}"  # Google
    r"|\b(?:gsk|hf|r8|tgp_v1|fw|nvapi)[_-]\w{16,}"  # Groq, Hugging Face, Replicate, Together, ...
    r"|\b(?:xai|pplx|csk|esecret)[-_]\w{16,}"  # xAI, Perplexity, Cerebras, Anyscale
    r"|\bAKIA[A-Z0-9]{16}\b"  # AWS
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\."  # JSON web tokens
    r"|\bBearer\s+\S{8,}",
    re.IGNORECASE,
)


def refuse_keys(document: Mapping[str, Any], where: str) -> None:
    """Raise UsageError for the first value that is or looks like a key; never shows the value."""
    for location, value in _leaves(document, ()):
        name = str(location[-1]).lower().replace("-", "_")
        if name in _KEY_NAMES or (isinstance(value, str) and _KEY_SHAPES.search(value)):
            raise UsageError(
                f"{where}: {key_path(location)}: keys are never read from a file; put it in an "
                'environment variable and name that one: api_key_env = "MY_KEY"'
            )


def _leaves(value: Any, location: Location) -> Iterator[tuple[Location, Any]]:
    """Every value with where it stands; a table is also given as such, for its name."""
    if location:
        yield location, value
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _leaves(item, (*location, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _leaves(item, (*location, index))
