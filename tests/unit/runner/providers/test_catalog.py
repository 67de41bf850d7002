from dataclasses import replace

import pytest

from runner.clock import SystemClock
from runner.providers.catalog import connect, wire_format
from runner.providers.formats.anthropic_messages import AnthropicMessages
from runner.providers.formats.gemini import Gemini
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.http.transport import AiohttpTransport
from runner.secret import Secret
from runner.vendors import VENDORS, Wire

SPOKEN = {
    Wire.OPENAI_CHAT: OpenAIChat,
    Wire.ANTHROPIC_MESSAGES: AnthropicMessages,
    Wire.GEMINI: Gemini,
}


@pytest.mark.parametrize("wire", Wire)
def test_every_wire_format_has_its_speaker(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VENDORS, "toy", replace(VENDORS["compat"], name="toy", wire=wire))
    assert isinstance(wire_format("toy"), SPOKEN[wire])


def test_a_connected_account_shows_its_address_and_no_key() -> None:
    transport = AiohttpTransport(SystemClock())
    made = connect("openai", "http://127.0.0.1:1/v1", Secret("canary"), transport)
    assert made.name == "openai"
    assert repr(made) == "HttpProvider(openai, http://127.0.0.1:1/v1)"
