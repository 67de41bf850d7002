"""Sends one request and gives back the whole response or a fault; nothing is raised.

aiohttp, tuned: below its session (see `exchange`), no timeout of its own (see `alarms`), no
cookies, no redirects, no limit on connections, and proxies from the environment looked up once.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

import aiohttp
from msgspec import Struct
from yarl import URL

from runner.clock import Clock
from runner.providers.http.alarms import Alarm, Alarms
from runner.providers.http.answer import Answer
from runner.providers.http.exchange import Connector, Exchange, Response, Target
from runner.providers.http.faults import (
    CAUGHT,
    CallProgress,
    Fault,
    fault_of,
    timeout_fault,
    too_long_fault,
)
from runner.providers.http.way_out import environment_proxy
from runner.wire import Deadlines

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_TOGETHER_BYTES = 512 * 1024 * 1024
"""Of all bodies at once; beyond it those go that take more than their share."""
DRAIN_S = 1.0
"""How long a finished stream may take to end, so that its connection can be used again."""

ChunkSink = Callable[[bytes], bool]
"""Takes a chunk of a streamed body; true when nothing more is awaited."""


class Outgoing(Struct, frozen=True, kw_only=True, gc=False):
    """One POST."""

    url: URL
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    sink: ChunkSink | None = None
    """Where the chunks of a body go that should be a stream; without one it is read whole."""

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return sum(map(len, self.pieces))

    def __repr__(self) -> str:
        """Without the headers, which hold the key, and without the prompt."""
        return f"Outgoing({self.url})"


class Transport(Protocol):
    """A pool of connections."""

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        """Send, and read the response. Raises only on cancellation."""
        ...

    async def aclose(self) -> None:
        """Close pooled connections."""
        ...


class _BodyTooLongError(Exception):
    """The response does not end within the limit."""


class _Call(Exchange):
    """One request on its way, and how far it has come."""

    __slots__ = (
        "deadlines",
        "first_byte_s",
        "headed_at",
        "held",
        "now",
        "outgoing",
        "response",
    )

    def __init__(self, outgoing: Outgoing, deadlines: Deadlines, now: float) -> None:
        super().__init__()
        self.outgoing = outgoing
        self.deadlines = deadlines
        self.now = now
        self.response: Response | None = None
        self.headed_at = 0.0
        self.held = 0
        self.first_byte_s: float | None = None

    def first_byte(self) -> None:
        """The body has begun to come."""
        self.first_byte_s = asyncio.get_running_loop().time() - self.now

    def answer(self, response: Response, body: bytes = b"") -> Answer:
        """What has come."""
        return Answer(
            status=response.status,
            headers=response.headers,
            body=body,
            now=self.headed_at,
            first_byte_s=self.first_byte_s,
        )


class AiohttpTransport:
    """The default transport; its session opens with the first request, on the running loop."""

    def __init__(
        self,
        clock: Clock,
        *,
        max_body_bytes: int = MAX_BODY_BYTES,
        max_together_bytes: int = MAX_TOGETHER_BYTES,
    ) -> None:
        self._clock = clock
        self._max_body_bytes = max_body_bytes
        self._max_together_bytes = max_together_bytes
        self._held = self._reading = 0
        self._session: aiohttp.ClientSession | None = None
        self._targets: dict[tuple[int, int], Target] = {}
        self._alarms = Alarms()

    async def aclose(self) -> None:
        """Close pooled connections."""
        self._alarms.close()
        for target in self._targets.values():
            target.close()
        self._targets.clear()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        """Send, and read the response. Raises only on cancellation."""
        call = _Call(outgoing, deadlines, asyncio.get_running_loop().time())
        alarm = self._alarms.start(call.now + min(deadlines.first_byte_s, deadlines.total_s))
        self._reading += 1
        try:
            return await self._exchange(call, alarm)
        except asyncio.CancelledError:
            if not alarm.is_ours():
                raise
            return _expired(call, self._progress(call))
        except _BodyTooLongError:
            return too_long_fault(self._max_body_bytes, self._progress(call))
        except CAUGHT as error:
            return fault_of(error, self._progress(call))
        finally:
            self._alarms.stop(alarm)
            self._reading -= 1
            self._held -= call.held
            if call.response is not None:
                call.response.release()

    async def get(self, url: URL, headers: Mapping[str, str], limit_s: float) -> Answer | Fault:
        """Ask for what costs nothing, such as a list of models, the way that calls go."""
        began = asyncio.get_running_loop().time()
        session = self._session or self._open()
        try:
            async with (
                asyncio.timeout(limit_s),
                session.get(
                    url, headers=headers, proxy=environment_proxy(url), allow_redirects=False
                ) as reply,
            ):
                return await self._whole(reply)
        except _BodyTooLongError:
            return too_long_fault(
                self._max_body_bytes, CallProgress(sent=True, reused=False, elapsed_s=0)
            )
        except CAUGHT as error:
            elapsed_s = asyncio.get_running_loop().time() - began
            progress = CallProgress(sent=False, reused=False, elapsed_s=elapsed_s)
            if elapsed_s >= limit_s:
                return timeout_fault("total", limit_s, progress)
            return fault_of(error, progress)

    async def _whole(self, reply: aiohttp.ClientResponse) -> Answer:
        body = bytearray()
        async for chunk in reply.content.iter_any():
            body += chunk
            if len(body) > self._max_body_bytes:
                raise _BodyTooLongError
        now = self._clock.now_us() / 1_000_000
        return Answer(status=reply.status, headers=reply.headers, body=bytes(body), now=now)

    async def _exchange(self, call: _Call, alarm: Alarm) -> Answer:
        outgoing = call.outgoing
        session = self._session or self._open()
        response = await call.send(self._target(session, outgoing), outgoing.pieces)
        call.response = response
        call.headed_at = self._clock.now_us() / 1_000_000
        # Whatever its label says: servers and proxies send streams as JSON, and the reverse.
        if outgoing.sink is not None and 200 <= response.status < 300:
            await self._pour(call, response, outgoing.sink, alarm)
            return call.answer(response)
        content = response.content
        if content.is_eof() and content.total_bytes <= self._max_body_bytes:
            # Nearly always: a reply comes whole, and there is no deadline left to move.
            call.first_byte()
            return call.answer(response, content.read_nowait())
        self._first_byte(call, alarm)
        return call.answer(response, await self._read(call, response))

    async def _read(self, call: _Call, response: Response) -> bytes:
        length = response.headers.get("Content-Length", "")
        # A compressed body may unpack to more than its length says.
        if length.isdecimal() and "Content-Encoding" not in response.headers:
            self._hold(call, int(length))
            return await response.content.read()
        return b"".join([chunk async for chunk in self._chunks(call, response)])

    async def _chunks(self, call: _Call, response: Response) -> AsyncIterator[bytes]:
        async for chunk in response.content.iter_any():
            self._hold(call, len(chunk))
            yield chunk

    def _hold(self, call: _Call, n_bytes: int) -> None:
        """Take so much more of a body. Raises _BodyTooLongError for one that takes too much."""
        call.held += n_bytes
        self._held += n_bytes
        if call.held > self._max_body_bytes:
            raise _BodyTooLongError
        share = self._max_together_bytes // max(1, self._reading)
        if self._held > self._max_together_bytes and call.held > share:
            raise _BodyTooLongError

    async def _pour(self, call: _Call, response: Response, sink: ChunkSink, alarm: Alarm) -> None:
        """Hand the stream over chunk by chunk until its reader has all it needs."""
        async for chunk in self._chunks(call, response):
            if call.first_byte_s is None:
                self._first_byte(call, alarm)
            if sink(chunk):
                await _drain(response)
                return

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=Connector(), cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
        )
        return self._session

    def _target(self, session: aiohttp.ClientSession, outgoing: Outgoing) -> Target:
        """URL and headers are one object each per account, which the target keeps alive."""
        key = (id(outgoing.url), id(outgoing.headers))
        target = self._targets.get(key)
        if target is None:
            proxy = environment_proxy(outgoing.url)
            target = Target(session, outgoing.url, outgoing.headers, proxy)
            self._targets[key] = target
        return target

    def _first_byte(self, call: _Call, alarm: Alarm) -> None:
        """From now on the total deadline counts."""
        call.first_byte()
        self._alarms.move(alarm, call.now + call.deadlines.total_s)

    def _progress(self, call: _Call) -> CallProgress:
        return CallProgress(
            sent=call.began,
            reused=call.reused,
            elapsed_s=asyncio.get_running_loop().time() - call.now,
            head=None if call.response is None else call.answer(call.response),
        )


def _expired(call: _Call, progress: CallProgress) -> Fault:
    deadlines = call.deadlines
    if call.first_byte_s is None and deadlines.first_byte_s < deadlines.total_s:
        return timeout_fault("first_byte", deadlines.first_byte_s, progress)
    return timeout_fault("total", deadlines.total_s, progress)


async def _drain(response: Response) -> None:
    """Let a finished stream end; one that does not is closed by the caller's release."""
    with contextlib.suppress(*CAUGHT):
        async with asyncio.timeout(DRAIN_S):
            async for _ in response.content.iter_any():
                pass
