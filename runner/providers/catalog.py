"""Which wire format each provider of the config speaks."""

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
