"""HTTP exchanges over aiohttp's connections and parser, without its session.

A session asks of every request what one POST after another has in common: it merges headers, builds
the URL, looks for cookies, middlewares and redirects, and starts a task that writes the body. That
is more than half of what a short call costs. Here it is asked once per address, and an idle
connection stays with its address; DNS, TLS, proxies, parsing and decompression stay aiohttp's.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial

import aiohttp
from aiohttp import hdrs
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage
from yarl import URL

from runner.providers.http.way_out import trusted

JOIN_BELOW = 32 * 1024
"""Bodies smaller than this are joined: one copy of 2 kB costs less than a second write."""

LONGEST_LINE = 128 * 1024
"""Of a response's head: gateways put policies, cookies and traces into headers."""
DNS_CACHE_S = 300
KEEPALIVE_S = 30.0
"""Shorter than the idle limit of common servers and load balancers (60 s and more)."""

_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)


class _Handler(ResponseHandler):
    """Resumes only what was paused: else the parser is fed an empty chunk after every read."""

    paused = False

    def pause_reading(self) -> None:
        self.paused = True
        super().pause_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:
        if self.paused:
            self.paused = False
            super().resume_reading(resume_parser)


class Connector(aiohttp.TCPConnector):
    """Opens connections, as many as are asked for."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            limit=0, keepalive_timeout=KEEPALIVE_S, ttl_dns_cache=DNS_CACHE_S, ssl=trusted()
        )
        self._factory = partial(_Handler, loop=asyncio.get_running_loop())


class Target:
    """An address with the headers of every request to it, and the connections to it."""

    __slots__ = ("_connector", "_head", "_idle", "_now", "headers", "request", "url")

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: URL,
        headers: Mapping[str, str],
        proxy: URL | None,
    ) -> None:
        assert session.connector is not None  # noqa: S101  only a closed session has none
        self.url, self.headers = url, headers
        self._connector = session.connector
        self._idle: deque[tuple[Connection, float]] = deque()
        self._now = asyncio.get_running_loop().time
        self.request = aiohttp.ClientRequest(
            hdrs.METH_POST, url, headers=headers, proxy=proxy, session=session
        )
        self._head = b""

    def idle(self) -> Connection | None:
        """The idle connection that was used last, if it can be used again."""
        while self._idle:
            connection, since = self._idle.pop()
            protocol = connection.protocol
            if (
                protocol is not None
                and not protocol.should_close
                and protocol.is_connected()
                and self._now() - since < KEEPALIVE_S
            ):
                return connection
            connection.close()
        return None

    async def connect(self) -> Connection:
        """A new connection."""
        connection = await self._connector.connect(self.request, traces=[], timeout=_NO_TIMEOUT)
        if connection.protocol is not None:
            # Once for all responses: the parser is ready for the next when one is whole.
            connection.protocol.set_response_params(
                read_until_eof=True, max_line_size=LONGEST_LINE, max_field_size=LONGEST_LINE
            )
        return connection

    def keep(self, connection: Connection) -> None:
        """Take a connection back whose last response was read to its end.

        Whether it can be used again is asked when it is wanted, since that may change till then.
        """
        now, idle = self._now(), self._idle
        while idle and now - idle[0][1] >= KEEPALIVE_S:
            idle.popleft()[0].close()
        idle.append((connection, now))

    def close(self) -> None:
        """Close what is idle."""
        while self._idle:
            self._idle.pop()[0].close()

    def head(self, size: int) -> bytes:
        """The head of a request with a body of that size."""
        if not self._head:
            self._head = self._common()
        return b"%sContent-Length: %d\r\n\r\n" % (self._head, size)

    def _common(self) -> bytes:
        """Made once a connection was: what an HTTP proxy wants to see is added then."""
        request = self.request
        through_proxy = request.proxy is not None and not request.is_ssl()
        target = str(request.url) if through_proxy else request.url.raw_path_qs
        lines = [f"POST {target} HTTP/1.1"]
        for name, value in request.headers.items():
            if name.lower() not in ("content-length", "transfer-encoding"):
                lines.append(f"{name}: {value}")
        text = "\r\n".join(lines)
        if text.count("\n") != len(lines) - 1 or text.count("\r") != len(lines) - 1:
            raise aiohttp.InvalidURL(request.url, "a header holds a line break")
        return f"{text}\r\n".encode()


class Response:
    """A response whose head has come; `release` it in every case."""

    __slots__ = ("_connection", "_protocol", "_target", "content", "headers", "status")

    def __init__(
        self,
        target: Target,
        connection: Connection,
        protocol: ResponseHandler,
        message: RawResponseMessage,
        content: aiohttp.StreamReader,
    ) -> None:
        self._target = target
        self._connection = connection
        self._protocol = protocol
        self.status = message.code
        self.headers = message.headers
        self.content = content

    def release(self) -> None:
        """Give the connection back, unless there is more on it than was read or sent."""
        transport = self._protocol.transport
        # A server may answer before it has read all: what has not left yet would never be wanted.
        if self.content.is_eof() and transport and not transport.get_write_buffer_size():
            self._target.keep(self._connection)
        else:
            _abort(self._connection)


class Exchange:
    """One request on its way: whether sending has begun, and on a connection used before."""

    __slots__ = ("began", "reused")

    def __init__(self) -> None:
        self.began = False
        self.reused = False

    async def send(self, target: Target, pieces: Sequence[bytes]) -> Response:
        """Send a body in the pieces it is held in, and wait for the head of the response."""
        connection = target.idle()
        self.reused = connection is not None
        if connection is None:
            connection = await target.connect()
        protocol = connection.protocol
        try:
            assert protocol is not None  # noqa: S101  only a closed connection has none
            self.began = True
            _write(protocol, target, pieces)
            message, content = await protocol.read()
            while 100 <= message.code < 200:  # interim: the response is still to come
                message, content = await protocol.read()
        except BaseException:
            _abort(connection)
            raise
        return Response(target, connection, protocol, message, content)


def _abort(connection: Connection) -> None:
    """Close now: closing politely would first wait for a server to read all that is buffered."""
    if connection.protocol is not None:
        connection.protocol.abort()
    connection.close()


def _write(protocol: ResponseHandler, target: Target, pieces: Sequence[bytes]) -> None:
    """Hand everything over in one write. Long pieces are not copied but kept until they are sent,
    and the prompt holds them anyway, so a connection that asks to wait need not be waited for."""
    transport = protocol.transport
    if transport is None:
        raise aiohttp.ClientConnectionResetError("the connection was closed")
    size = sum(map(len, pieces))
    whole = (target.head(size), *pieces)
    if size < JOIN_BELOW:
        transport.write(b"".join(whole))
    else:
        transport.writelines(whole)
