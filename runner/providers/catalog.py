"""Which wire format each provider of the config speaks."""

from collections.abc import Mapping

from runner.providers.formats.anthropic_messages import AnthropicMessages
from runner.providers.formats.gemini import Gemini
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.formats.wire_format import WireFormat
from runner.providers.http.transport import Transport
from runner.providers.http_provider import HttpProvider
from runner.secret import Secret

WIRES: Mapping[str, WireFormat] = {
    "openai": OpenAIChat(),
    "anthropic": AnthropicMessages(),
    "google": Gemini(),
    "compat": OpenAIChat(),
    "local": OpenAIChat(),
    "sim": OpenAIChat(),
}


def connect(provider: str, base_url: str, key: Secret | None, transport: Transport) -> HttpProvider:
    """The provider by its name in model ids, at an address, over a shared pool of connections."""
    return HttpProvider(
        provider,
        WIRES[provider],
        base_url,
        transport,
        key=None if key is None else key.reveal(),
    )
