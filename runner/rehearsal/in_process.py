"""Reaches a simulator without a socket, so that a rehearsal runs in the loop's own time.

A loop whose clock jumps cannot see what is under way on a socket; here every wait is a sleep.
"""

import asyncio
import zlib

from aiohttp import client_exceptions
from multidict import CIMultiDict

from runner.providers.http.answer import Answer
from runner.providers.http.faults import CallProgress, Fault, fault_of, timeout_fault
from runner.providers.http.transport import Outgoing
from runner.simulator.core import Simulator
from runner.simulator.traffic.exchange import Arrival, SimulatedExchange
from runner.wire import Deadlines

_GZIP = 31
"""`zlib`'s name for a gzip header of any window size."""
_FOREVER_S = 30 * 86_400.0


class SimulatorTransport:
    """A `Transport` whose other end is a simulator in the same process."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        """Have the request answered, and wait as long as the answer takes."""
        call = _Playing(self._simulator, outgoing, deadlines)
        try:
            async with asyncio.timeout_at(call.deadline_s) as timer:
                return await call.play(timer)
        except TimeoutError:
            return call.expired()
        except client_exceptions.ClientError as error:
            return fault_of(error, call.progress())
        finally:
            self._simulator.finish(call.exchange.entry)


class _Playing:
    """One exchange on its way to the client."""

    def __init__(self, simulator: Simulator, outgoing: Outgoing, deadlines: Deadlines) -> None:
        self._simulator = simulator
        self._sink = outgoing.sink
        self._deadlines = deadlines
        self._started_s = asyncio.get_running_loop().time()
        self._head: Answer | None = None
        self._first_byte_s: float | None = None
        arrival = Arrival(
            method="POST",
            path=outgoing.url.path,
            query=outgoing.url.query,
            headers={name.lower(): value for name, value in outgoing.headers.items()},
            body=b"".join(outgoing.pieces),
        )
        self.exchange: SimulatedExchange = simulator.respond(arrival)
        first_s = min(deadlines.first_byte_s, deadlines.total_s)
        self.deadline_s = self._started_s + first_s

    async def play(self, timer: asyncio.Timeout) -> Answer:
        """The answer; ClientError where the exchange breaks off."""
        exchange, body = self.exchange, list[bytes]()
        sink = self._sink if self._streams() else None
        for n, piece in enumerate(exchange.pieces):
            await self._wait(piece.delay_s)
            if n == 0:
                self._begin(timer)
            if sink is not None and sink(piece.data):
                break
            body.append(piece.data)
        await self._end()
        return self._answer(b"" if sink is not None else self._unpacked(b"".join(body)))

    def _streams(self) -> bool:
        kind = self.exchange.headers.get("content-type", "")
        return self.exchange.status == 200 and kind.startswith("text/event-stream")

    def _begin(self, timer: asyncio.Timeout) -> None:
        """The headers are here, unless the connection is reset instead."""
        if self.exchange.ending == "reset":
            raise client_exceptions.ServerDisconnectedError
        self._first_byte_s = asyncio.get_running_loop().time() - self._started_s
        self._head = self._answer(b"")
        timer.reschedule(self._started_s + self._deadlines.total_s)

    async def _end(self) -> None:
        if self.exchange.ending == "hang":
            await self._wait(_FOREVER_S)
        if self.exchange.ending == "close":
            raise client_exceptions.ClientPayloadError("the body is not complete")

    def _unpacked(self, body: bytes) -> bytes:
        """What a client can unpack of a compressed body, which may be cut."""
        if self.exchange.headers.get("Content-Encoding") != "gzip":
            return body
        return zlib.decompressobj(_GZIP).decompress(body)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._simulator.timeline.sleep(seconds)

    def _answer(self, body: bytes) -> Answer:
        return Answer(
            status=self.exchange.status,
            headers=CIMultiDict(self.exchange.headers),
            body=body,
            now=self._simulator.timeline.now_us() / 1_000_000,
            first_byte_s=self._first_byte_s,
        )

    def progress(self) -> CallProgress:
        """Tell how far the call has come."""
        elapsed_s = asyncio.get_running_loop().time() - self._started_s
        return CallProgress(sent=True, reused=False, elapsed_s=elapsed_s, head=self._head)

    def expired(self) -> Fault:
        """Tell what it means that a deadline passed."""
        deadlines = self._deadlines
        if self._first_byte_s is None and deadlines.first_byte_s < deadlines.total_s:
            return timeout_fault("first_byte", deadlines.first_byte_s, self.progress())
        return timeout_fault("total", deadlines.total_s, self.progress())
