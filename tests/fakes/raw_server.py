"""A loopback server that does exactly what a test scripts, down to the byte and the reset.

For what no well-behaved server can be made to do: cut bodies, resets, stale connections, and for
recording requests byte by byte. Everything else is the simulator's job.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

Act = Callable[[asyncio.StreamWriter], Awaitable[bool]]
"""Answers one request; true keeps the connection open for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it arrived."""

    connection: int
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass(slots=True)
class RawServer:
    """Requests seen, and what to do about the next ones; the last act is repeated."""

    port: int = 0
    scheme: str = "http"
    seen: list[Seen] = field(default_factory=list[Seen])
    script: list[Act] = field(default_factory=list[Act])
    released: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def acts(self, *script: Act) -> None:
        self.script = list(script)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        mine = self.connections
        try:
            while (request := await _read(reader, mine)) is not None:
                self.seen.append(request)
                self.arrived.set()
                act = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                if not await act(writer):
                    return
        except ConnectionError:
            return
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader, connection: int) -> Seen | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = head.strip().split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    except asyncio.IncompleteReadError:
        return None
    return Seen(connection=connection, path=start.split(" ")[1], headers=headers, body=body)


@asynccontextmanager
async def raw_server(tls: ssl.SSLContext | None = None) -> AsyncGenerator[RawServer]:
    """A running server; connections still open at the end are let go."""
    state = RawServer(scheme="https" if tls else "http")
    server = await asyncio.start_server(state.serve, "127.0.0.1", 0, ssl=tls)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        state.released.set()
        server.close()
        await asyncio.sleep(0)


def raw(data: bytes, *, keep: bool = False) -> Act:
    """Send these bytes, then close (or keep) the connection."""

    async def act(writer: asyncio.StreamWriter) -> bool:
        writer.write(data)
        await writer.drain()
        return keep

    return act


def response(
    body: bytes, *, status: int = 200, headers: dict[str, str] | None = None, keep: bool = True
) -> Act:
    """Send a well-formed response."""
    return raw(
        head(status, {"content-length": str(len(body)), **(headers or {})}) + body, keep=keep
    )


def json_response(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Act:
    """Send a well-formed JSON response."""
    sent = {"content-type": "application/json", **(headers or {})}
    return response(orjson.dumps(value), status=status, headers=sent)


def stream(*chunks: bytes, whole: bool = True, headers: dict[str, str] | None = None) -> Act:
    """Send an event stream in chunks; `whole` ends it properly, else it breaks off."""
    sent = {"content-type": "text/event-stream", "transfer-encoding": "chunked", **(headers or {})}
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return raw(head(200, sent) + body + (b"0\r\n\r\n" if whole else b""), keep=whole)


def head(status: int, headers: dict[str, str]) -> bytes:
    """Status line and headers."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode()


async def reset(writer: asyncio.StreamWriter) -> bool:
    """Reset the connection without a word."""
    writer.transport.abort()
    return False


async def hang_up(writer: asyncio.StreamWriter) -> bool:
    """Close the connection without a word."""
    return False


def hang(server: RawServer, data: bytes = b"") -> Act:
    """Send these bytes, then nothing more until the test is over."""

    async def act(writer: asyncio.StreamWriter) -> bool:
        writer.write(data)
        await server.released.wait()
        return False

    return act
