"""Which wire format each provider of the config speaks, and where it lives."""

from collections.abc import Mapping

from runner.providers.anthropic_messages import AnthropicMessages
from runner.providers.gemini import Gemini
from runner.providers.openai_chat import OpenAIChat
from runner.providers.wire_format import WireFormat

WIRES: Mapping[str, WireFormat] = {
    "openai": OpenAIChat(),
    "anthropic": AnthropicMessages(),
    "google": Gemini(),
    "compat": OpenAIChat(),
    "local": OpenAIChat(),
    "sim": OpenAIChat(),
}

BASE_URLS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
"""What the vendors' own SDKs use; the other providers need a base URL."""
