"""The transport of the extra `fast`: connections, TLS and parsing in Rust, beside the event loop.

It earns its place where TLS is what a call costs. Deadlines, proxies, trusted certificates and
what a failure means are as with aiohttp; redirects, cookies and browser emulation are off.
"""

import asyncio
import contextlib
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from datetime import timedelta
from pathlib import Path
from typing import NotRequired, TypedDict

import wreq
from wreq.dns import DnsOptions
from wreq.exceptions import BuilderError
from wreq.header import HeaderMap
from wreq.proxy import Proxy
from wreq.redirect import Policy
from wreq.tls import CertStore
from yarl import URL

from runner.clock import Clock
from runner.providers.alarms import Alarm, Alarms
from runner.providers.faults import Fault, Progress, timeout_fault, too_long_fault
from runner.providers.transport import (
    KEEPALIVE_S,
    MAX_BODY_BYTES,
    ChunkSink,
    Outgoing,
    environment_proxy,
)
from runner.providers.wire_format import Answer
from runner.providers.wreq_faults import CAUGHT, fault_of, local_port, was_sent
from runner.wire import Deadlines

JOIN_BELOW = 32 * 1024
"""Below, the body is handed over in one piece: asking Python for each costs more than a copy."""
DRAIN_S = 1.0
"""How long a finished stream may take to end, so that its connection can be used again."""
_UNLIMITED = 1_000_000
_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"


class ProxyUse(TypedDict):
    """The arguments that say whether there is a proxy."""

    no_proxy: NotRequired[bool]
    proxies: NotRequired[list[Proxy]]


class _BodyTooLongError(Exception):
    """The response does not end within the limit."""


class _HeaderError(Exception):
    """A header cannot be sent."""


class _Target:
    """An address with the headers of every request to it."""

    __slots__ = ("client", "headers", "heard", "sized", "url")

    def __init__(self, client: wreq.Client, outgoing: Outgoing) -> None:
        self.client = client
        self.url = str(outgoing.url)
        self.headers = outgoing.headers
        self.heard = False
        """Whether it has answered before, so that there is a connection to send on."""
        self.sized = HeaderMap(dict(outgoing.headers))
        # A header that cannot be is left out without a word.
        if len(self.sized) != len(outgoing.headers):
            raise _HeaderError


class _Call:
    """One request on its way, and how far it has come."""

    __slots__ = ("deadlines", "first_byte_s", "head", "outgoing", "reused", "sent", "started")

    def __init__(self, outgoing: Outgoing, deadlines: Deadlines) -> None:
        self.outgoing = outgoing
        self.deadlines = deadlines
        self.started = asyncio.get_running_loop().time()
        self.sent = False
        self.reused = False
        self.head: Answer | None = None
        self.first_byte_s: float | None = None

    def pieces(self) -> Generator[bytes, str, None]:
        """The body; it is asked for once there is a connection."""
        self.sent = True
        yield from self.outgoing.pieces

    def answer(self, body: bytes = b"") -> Answer:
        """What has come; there must be a head."""
        head = self.head
        assert head is not None  # noqa: S101  callers have seen the head
        return Answer(
            status=head.status,
            headers=head.headers,
            body=body,
            now=head.now,
            first_byte_s=self.first_byte_s,
        )

    def progress(self) -> Progress:
        """How far it has come."""
        return Progress(
            sent=self.sent,
            reused=self.reused,
            elapsed_s=asyncio.get_running_loop().time() - self.started,
            head=None if self.head is None else self.answer(),
        )

    def expired(self) -> Fault:
        """What it means that a deadline passed."""
        deadlines = self.deadlines
        if self.first_byte_s is None and deadlines.first_byte_s < deadlines.total_s:
            return timeout_fault("first_byte", deadlines.first_byte_s, self.progress())
        return timeout_fault("total", deadlines.total_s, self.progress())


class WreqTransport:
    """A pool of connections in Rust; a client is made for the first request to go its way."""

    def __init__(self, clock: Clock, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._clock = clock
        self._max_body_bytes = max_body_bytes
        self._clients: dict[tuple[str, URL | None], wreq.Client] = {}
        self._targets: dict[tuple[URL, int], _Target] = {}
        self._alarms = Alarms()
        self._used: set[int] = set()
        """Our ends of connections that have served a request."""

    async def aclose(self) -> None:
        """Close pooled connections, which go with their clients."""
        self._alarms.close()
        self._targets.clear()
        self._clients.clear()

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        """Send, and read the response. Raises only on cancellation."""
        try:
            target = self._target(outgoing)
        except _HeaderError:
            return _cannot_be_sent()
        call = _Call(outgoing, deadlines)
        alarm = self._alarms.start(call.started + min(deadlines.first_byte_s, deadlines.total_s))
        try:
            return await self._exchange(target, call, alarm)
        except asyncio.CancelledError:
            if not alarm.is_ours():
                raise
            return call.expired()
        except _BodyTooLongError:
            return too_long_fault(self._max_body_bytes, call.progress())
        except CAUGHT as error:
            return self._failed(call, error)
        finally:
            self._alarms.stop(alarm)

    async def _exchange(self, target: _Target, call: _Call, alarm: Alarm) -> Answer:
        async with _sent(target, call) as response:
            self._headed(target, call, response)
            if call.outgoing.sink is not None and _streams(call.answer()):
                await self._pour(call, response, call.outgoing.sink, alarm)
                return call.answer()
            self._first_byte(call, alarm)
            return call.answer(await self._read(call.answer(), response))

    def _headed(self, target: _Target, call: _Call, response: wreq.Response) -> None:
        """Note the head of the response, and the connection that it came on."""
        call.sent = target.heard = True
        call.head = Answer(
            status=response.status.as_int(),
            headers=_read_headers(response.headers),
            now=self._clock.now_us() / 1_000_000,
        )
        if response.local_addr is not None:
            self._used.add(response.local_addr.port())

    async def _read(self, head: Answer, response: wreq.Response) -> bytes:
        # A length is left only where nothing is unpacked.
        length = head.headers.get("content-length", "")
        if length.isdecimal():
            if int(length) > self._max_body_bytes:
                raise _BodyTooLongError
            return bytes(await response.bytes())
        async with response.stream() as stream:
            return b"".join([chunk async for chunk in self._chunks(stream)])

    async def _chunks(self, stream: wreq.Streamer) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in stream:
            if isinstance(chunk, HeaderMap):
                continue  # trailers
            total += len(chunk)
            if total > self._max_body_bytes:
                raise _BodyTooLongError
            yield bytes(chunk)

    async def _pour(
        self, call: _Call, response: wreq.Response, sink: ChunkSink, alarm: Alarm
    ) -> None:
        """Hand the stream over chunk by chunk until its reader has all it needs."""
        async with response.stream() as stream:
            async for chunk in self._chunks(stream):
                if call.first_byte_s is None:
                    self._first_byte(call, alarm)
                if sink(chunk):
                    await _drain(stream)
                    return

    def _target(self, outgoing: Outgoing) -> _Target:
        """Headers are one object per account, which the target keeps alive."""
        key = (outgoing.url, id(outgoing.headers))
        target = self._targets.get(key)
        if target is None:
            proxy = environment_proxy(outgoing.url)
            way = (outgoing.url.scheme, proxy)
            client = self._clients[way] = self._clients.get(way) or _open(*way)
            target = self._targets[key] = _Target(client, outgoing)
        return target

    def _first_byte(self, call: _Call, alarm: Alarm) -> None:
        """From now on the total deadline counts."""
        call.first_byte_s = asyncio.get_running_loop().time() - call.started
        self._alarms.move(alarm, call.started + call.deadlines.total_s)

    def _failed(self, call: _Call, error: Exception) -> Fault:
        call.sent = was_sent(error)
        port = local_port(error)
        call.reused = port in self._used
        if port is not None:
            self._used.discard(port)
        return fault_of(error, call.progress())


@contextlib.asynccontextmanager
async def _sent(target: _Target, call: _Call) -> AsyncGenerator[wreq.Response]:
    """The response, whose connection is given back, or closed when there is more on it."""
    pieces = call.outgoing.pieces
    size = sum(map(len, pieces))
    if size < JOIN_BELOW and target.heard:
        call.sent = True  # unless it fails to connect; a deadline that passes meanwhile counts
        response = await target.client.post(
            target.url, headers=target.sized, default_headers=False, body=b"".join(pieces)
        )
    else:
        sized = HeaderMap({**target.headers, "Content-Length": str(size)})
        response = await target.client.post(
            target.url, headers=sized, default_headers=False, body=call.pieces()
        )
    async with response:
        yield response


def _open(scheme: str, proxy: URL | None) -> wreq.Client:
    through = (
        ProxyUse(no_proxy=True) if proxy is None else ProxyUse(proxies=[Proxy.all(str(proxy))])
    )
    return wreq.Client(
        http1_only=True,
        redirect=Policy.none(),
        # Reading certificates takes a tenth of a second; without TLS none is looked at.
        tls_verify=trusted() if scheme == "https" else True,
        dns_options=DnsOptions(system_dns=True),
        pool_idle_timeout=timedelta(seconds=KEEPALIVE_S),
        pool_max_idle_per_host=_UNLIMITED,
        **through,
    )


def trusted() -> bool | Path | CertStore:
    """What OpenSSL trusts, SSL_CERT_FILE and SSL_CERT_DIR honoured; wreq's own roots if none."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile and paths.openssl_capath_env not in os.environ:
        return Path(paths.cafile)
    found = set(ssl.create_default_context().get_ca_certs(binary_form=True))
    # OpenSSL itself reads those of a folder only when one is wanted.
    for path in Path(paths.capath).iterdir() if paths.capath else ():
        with contextlib.suppress(OSError, ValueError):
            if (text := path.read_bytes()).startswith(_CERTIFICATE):
                found.add(ssl.PEM_cert_to_DER_cert(text.decode()))
    return CertStore.from_der_certs(sorted(found)) if found else True


def _read_headers(headers: HeaderMap) -> dict[str, str]:
    """With lower-case names, as they come; the first of several counts."""
    read: dict[str, str] = {}
    for name, value in headers:
        read.setdefault(str(name, "ascii"), str(value, "utf-8", "surrogateescape"))
    return read


def _streams(head: Answer) -> bool:
    kind = head.headers.get("content-type", "")
    return head.status == 200 and kind.lower().startswith("text/event-stream")


def _cannot_be_sent() -> Fault:
    error = BuilderError("a header holds a line break, or what no header may hold")
    return fault_of(error, Progress(sent=False, reused=False, elapsed_s=0.0))


async def _drain(stream: wreq.Streamer) -> None:
    """Let a finished stream end; one that does not is closed with its response."""
    with contextlib.suppress(*CAUGHT, TimeoutError):
        async with asyncio.timeout(DRAIN_S):
            async for _ in stream:
                pass
