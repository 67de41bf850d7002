import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import orjson
import pytest
from yarl import URL

from runner.providers.catalog import wire_format
from runner.providers.formats.capabilities import capability
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.http import exchange
from runner.providers.http.exchange import JOIN_BELOW, Exchange, Response, Target, _write
from runner.wire import Request
from tasks.sample import Text, user_prompt

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HUGE = (b"x" * (16 << 20),) * 4
"""More than the buffers of a loopback connection hold."""


class Wire:
    """Stands in for a connection and keeps the very objects that were written."""

    transport: Any

    def __init__(self) -> None:
        self.transport = self
        self.writes: list[list[bytes]] = []

    def write(self, data: bytes) -> None:
        self.writes.append([data])

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self.writes.append(list(pieces))


@asynccontextmanager
async def serving(serve: Serve) -> AsyncGenerator[tuple[aiohttp.ClientSession, Target]]:
    handlers: set[asyncio.Task[None] | None] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.add(asyncio.current_task())
        await serve(reader, writer)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, aiohttp.ClientSession() as session:
        target = Target(session, URL(f"http://127.0.0.1:{port}/v1/x?a=1"), {"X-A": "é"}, None)
        try:
            yield session, target
        finally:
            target.close()
            for handler in filter(None, handlers):
                await asyncio.wait([handler])


async def send(target: Target, pieces: tuple[bytes, ...]) -> Response:
    return await Exchange().send(target, pieces)


async def target_of(headers: dict[str, str]) -> Target:
    async with aiohttp.ClientSession() as session:
        return Target(session, URL("http://a.test/v1"), headers, None)


async def test_long_pieces_are_written_as_the_objects_they_are():
    wire: Any = Wire()
    pieces = (b"[", b"x" * JOIN_BELOW, b"]")
    _write(wire, await target_of({}), pieces)
    ((head, *written),) = wire.writes
    assert head.endswith(b"Content-Length: %d\r\n\r\n" % (JOIN_BELOW + 2))
    assert [id(piece) for piece in written] == [id(piece) for piece in pieces]


async def test_short_pieces_go_out_with_the_headers_in_one_write():
    wire: Any = Wire()
    _write(wire, await target_of({}), (b"[", b"x", b"]"))
    ((written,),) = wire.writes
    assert written.endswith(b"Content-Length: 3\r\n\r\n[x]")


async def test_no_line_break_gets_into_a_head():
    target = await target_of({"X-A": "b\r\nX-Evil: c"})
    with pytest.raises(aiohttp.InvalidURL):
        target.head(1)


async def test_request_is_what_was_said_and_interim_responses_are_passed_over():
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        await reader.readexactly(5)
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n")
        writer.write(b"Content-Length: 2\r\n\r\nok")
        writer.close()

    async with serving(serve) as (_, target):
        response = await send(target, (b"he", b"llo"))
        assert (response.status, await response.content.read()) == (200, b"ok")
        response.release()
    first, *rest = heads[0].decode().split("\r\n")
    assert first == "POST /v1/x?a=1 HTTP/1.1"
    names = [line.partition(":")[0].lower() for line in rest if line]
    assert len(names) == len(set(names))
    assert {"host", "x-a", "content-length"} <= set(names)
    assert "X-A: é" in rest


async def test_answer_before_the_body_was_read_is_an_answer_and_ends_the_connection():
    connections = 0
    answered = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
        await answered.wait()
        writer.transport.abort()

    async with serving(serve) as (_, target):
        for asked in (1, 2):
            response = await send(target, HUGE)
            assert (response.status, await response.content.read()) == (413, b"big")
            response.release()
            assert connections == asked
        answered.set()


async def test_body_longer_than_all_buffers_arrives_whole():
    got = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal got
        await reader.readuntil(b"\r\n\r\n")
        while got < sum(map(len, HUGE)):
            got += len(await reader.read(1 << 20))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    async with serving(serve) as (_, target):
        response = await send(target, HUGE)
        assert response.status == 204
        response.release()
    assert got == sum(map(len, HUGE))


async def test_connection_lost_in_the_middle_of_the_body_is_an_error_of_the_library():
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async with serving(serve) as (_, target):
        with pytest.raises((aiohttp.ClientError, OSError)):
            await send(target, HUGE)


async def test_cancelled_call_leaves_no_connection_behind():
    arrived, over = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await over.wait()
        writer.transport.abort()

    async with serving(serve) as (session, target):
        async with asyncio.TaskGroup() as group:
            call = group.create_task(send(target, HUGE))
            await arrived.wait()
            call.cancel()
        over.set()
        assert session.connector is not None
        assert not session.connector._acquired


class Counting:
    """Answers with the number of the connection; ends it where the script says so."""

    def __init__(self, *, close_after: int = 1 << 30) -> None:
        self.connections = 0
        self.close_after = close_after
        self.closed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        answer = b"%d" % self.connections
        for _ in range(self.close_after):
            try:
                await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            await reader.readexactly(1)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(answer), answer))
            await writer.drain()
        writer.close()
        self.closed.set()


async def asked(target: Target) -> tuple[bytes, bool]:
    """Which connection answered, and whether it had been used before."""
    one = Exchange()
    response = await one.send(target, (b"x",))
    body = await response.content.read()
    response.release()
    return body, one.reused


@pytest.mark.parametrize(
    "test",
    [
        test_answer_before_the_body_was_read_is_an_answer_and_ends_the_connection,
        test_body_longer_than_all_buffers_arrives_whole,
        test_connection_lost_in_the_middle_of_the_body_is_an_error_of_the_library,
        test_cancelled_call_leaves_no_connection_behind,
    ],
)
def test_the_same_on_uvloop(test: Callable[[], Coroutine[Any, Any, None]]):
    """Sweeps run on it where there is one; it keeps what is not sent yet in its own way."""
    pytest.importorskip("uvloop").run(test())


async def test_the_connection_used_last_is_used_next_for_any_number_of_responses():
    server = Counting()
    async with serving(server.serve) as (_, target):
        assert [await asked(target) for _ in range(3)] == [
            (b"1", False),
            (b"1", True),
            (b"1", True),
        ]
        first, second = await send(target, (b"x",)), await send(target, (b"x",))
        for response in (first, second):
            await response.content.read()
            response.release()
        assert await asked(target) == (b"2", True)


async def test_what_the_server_closed_meanwhile_is_not_used():
    server = Counting(close_after=1)
    async with serving(server.serve) as (_, target):
        assert await asked(target) == (b"1", False)
        protocol = target._idle[0][0].protocol
        assert protocol is not None
        if protocol.closed is not None:
            await protocol.closed
        assert await asked(target) == (b"2", False)


async def test_a_connection_idle_for_long_is_closed(monkeypatch: pytest.MonkeyPatch):
    server = Counting()
    async with serving(server.serve) as (session, target):
        assert await asked(target) == (b"1", False)
        monkeypatch.setattr(exchange, "KEEPALIVE_S", 0.0)
        assert await asked(target) == (b"2", False)
        assert session.connector is not None
        assert len(target._idle) == len(session.connector._acquired) == 1


async def test_what_is_idle_for_long_is_closed_beside_others(monkeypatch: pytest.MonkeyPatch):
    server = Counting()
    async with serving(server.serve) as (_, target):
        calls = [await send(target, (b"x",)) for _ in range(3)]
        for response in calls:
            await response.content.read()
        calls[0].release()
        calls[1].release()
        monkeypatch.setattr(exchange, "KEEPALIVE_S", 0.0)
        calls[2].release()
        assert len(target._idle) == 1


async def test_closing_closes_what_is_idle():
    server = Counting()
    async with serving(server.serve) as (session, target):
        await asked(target)
        target.close()
        assert session.connector is not None
        assert not session.connector._acquired
        await server.closed.wait()


@pytest.mark.parametrize("wire", ["openai", "anthropic", "google"])
def test_questions_on_one_haystack_share_its_bytes(wire: str):
    haystack = Text('"k": "v", ' * 1000)
    bodies = [
        wire_format(wire).encode(
            Request(model="m", prompt=user_prompt("q: ", haystack, question)),
            capability(wire, "m"),
        )
        for question in ("one?", "two?")
    ]
    for body in bodies:
        assert sum(piece is haystack.json for piece in body) == 1
        assert orjson.loads(b"".join(body))


def test_settings_of_many_cells_do_not_pile_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("runner.providers.formats.prompt_bytes._MAX_TAILS", 2)
    wire = OpenAIChat()
    for seed in (1, 2, 3, 1):
        request = Request(model="m", prompt=user_prompt("q"), params={"seed": seed})
        body = orjson.loads(b"".join(wire.encode(request, capability("compat", "m"))))
        assert body["seed"] == seed
