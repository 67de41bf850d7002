"""Which wire format each vendor's servers speak."""

from runner.providers.formats.anthropic_messages import AnthropicMessages
from runner.providers.formats.gemini import Gemini
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.formats.wire_format import WireFormat
from runner.providers.http.transport import Transport
from runner.providers.http_provider import HttpProvider
from runner.secret import Secret
from runner.vendors import VENDORS, Wire

_OPENAI_CHAT, _ANTHROPIC_MESSAGES, _GEMINI = OpenAIChat(), AnthropicMessages(), Gemini()


def wire_format(vendor: str) -> WireFormat:
    """What a vendor's servers speak."""
    match VENDORS[vendor].wire:
        case Wire.OPENAI_CHAT:
            return _OPENAI_CHAT
        case Wire.ANTHROPIC_MESSAGES:
            return _ANTHROPIC_MESSAGES
        case Wire.GEMINI:
            return _GEMINI


def connect(vendor: str, base_url: str, key: Secret | None, transport: Transport) -> HttpProvider:
    """A vendor's account at an address, over a shared pool of connections."""
    return HttpProvider(
        vendor,
        wire_format(vendor),
        base_url,
        transport,
        key=None if key is None else key.reveal(),
    )
