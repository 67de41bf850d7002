from typing import Any

import orjson
import pytest
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import StreamWriter

from runner.providers.capabilities import capability
from runner.providers.catalog import WIRES
from runner.providers.openai_chat import OpenAIChat
from runner.providers.payload import JOIN_BELOW, PiecesPayload
from runner.wire import Request
from tasks.sample import Text, user_prompt


class Wire:
    """Stands in for a connection and keeps the very objects that were written."""

    transport: Any
    _paused = False

    def __init__(self) -> None:
        self.transport = self
        self.written: list[Any] = []

    def is_closing(self) -> bool:
        return False

    def write(self, data: Any) -> None:
        self.written.append(data)

    def writelines(self, chunks: Any) -> None:
        self.written.extend(chunks)


async def send(payload: PiecesPayload, event_loop: Any = None) -> Wire:
    wire = Wire()
    writer = StreamWriter(wire, event_loop)  # pyright: ignore[reportArgumentType]
    writer._headers_buf = b"head\r\n\r\n"
    await payload.write_with_length(writer, payload.size)
    return wire


async def test_long_pieces_are_written_as_the_objects_they_are():
    haystack = b"x" * JOIN_BELOW
    pieces = (b"[", haystack, b"]")
    wire = await send(PiecesPayload(pieces))
    assert wire.written[0] == b"head\r\n\r\n"
    assert [id(piece) for piece in wire.written[1:]] == [id(piece) for piece in pieces]


async def test_short_pieces_go_out_with_the_headers_in_one_write():
    wire = await send(PiecesPayload((b"[", b"x", b"]")))
    assert b"".join(wire.written) == b"head\r\n\r\n[x]"
    assert len(wire.written) == 1


async def test_connection_is_noted_once_sending_begins():
    payload = PiecesPayload((b"x",))
    assert payload.connection is None
    wire = await send(payload)
    assert payload.connection is wire


async def test_payload_works_as_any_other():
    payload = PiecesPayload((b'{"a":', "é".encode(), b"}"))
    assert payload.size == len(payload.decode().encode())
    assert await payload.as_bytes() == '{"a":é}'.encode()
    assert payload.content_type == "application/json"
    wire = Wire()
    await payload.write(StreamWriter(wire, None))  # pyright: ignore[reportArgumentType]
    assert b"".join(wire.written) == '{"a":é}'.encode()


@pytest.mark.parametrize("wire", ["openai", "anthropic", "google"])
def test_questions_on_one_haystack_share_its_bytes(wire: str):
    haystack = Text('"k": "v", ' * 1000)
    bodies = [
        WIRES[wire].encode(
            Request(model="m", prompt=user_prompt("q: ", haystack, question)),
            capability(wire, "m"),
        )
        for question in ("one?", "two?")
    ]
    for body in bodies:
        assert sum(piece is haystack.json for piece in body) == 1
        assert orjson.loads(b"".join(body))


class OtherWriter(AbstractStreamWriter):
    """A writer that is not a client's connection."""

    def __init__(self) -> None:
        self.written = b""

    async def write(self, chunk: Any) -> None:
        self.written += chunk

    async def write_eof(self, chunk: bytes = b"") -> None: ...

    async def drain(self) -> None: ...

    def enable_compression(self, encoding: str = "deflate", strategy: int | None = 0) -> None: ...

    def enable_chunking(self) -> None: ...

    async def write_headers(self, status_line: str, headers: Any) -> None: ...


async def test_any_writer_gets_the_body():
    writer = OtherWriter()
    payload = PiecesPayload((b"a", b"b"))
    await payload.write(writer)
    assert writer.written == b"ab"
    assert payload.connection is None


def test_settings_of_many_cells_do_not_pile_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("runner.providers.prompt_bytes._MAX_TAILS", 2)
    wire = OpenAIChat()
    for seed in (1, 2, 3, 1):
        request = Request(model="m", prompt=user_prompt("q"), params={"seed": seed})
        body = orjson.loads(b"".join(wire.encode(request, capability("compat", "m"))))
        assert body["seed"] == seed
