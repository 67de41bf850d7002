"""Plays the simulator's responses on a socket."""

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from runner.clock import SystemClock
from runner.simulator.core import Simulator
from runner.simulator.spec.settings import SimulatorSettings
from runner.simulator.timeline import Timeline
from runner.simulator.traffic.exchange import Arrival, SimulatedExchange

MAX_BODY_BYTES = 256 * 2**20
HANG_S = 30 * 86_400.0
"""Longer than any deadline; the client leaves first."""
_LINGER_OFF = struct.pack("ii", 1, 0)
"""Closing with this throws the connection away with a reset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server that answers on a port."""

    simulator: Simulator
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Base URL for the Anthropic and Google clients."""
        return f"http://{self.host}:{self.port}"

    @property
    def openai_url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"{self.origin}/v1"


class _Player:
    """Handles requests by playing the exchange that the simulator makes of them."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Read all of a request, then play the response to it."""
        arrival = Arrival(
            method=request.method,
            path=request.path,
            query=request.query,
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.read(),
        )
        exchange = self._simulator.respond(arrival)
        try:
            return await self._play(request, exchange)
        finally:
            self._simulator.finish(exchange.entry)

    async def _play(self, request: web.Request, exchange: SimulatedExchange) -> web.StreamResponse:
        if _is_plain(exchange):
            piece = exchange.pieces[0]
            await self._wait(piece.delay_s)
            return web.Response(status=exchange.status, headers=exchange.headers, body=piece.data)
        if exchange.pieces:
            await self._wait(exchange.pieces[0].delay_s)
        if exchange.ending == "reset":
            _reset(request)
            return web.Response()
        if not exchange.pieces:
            await self._wait(HANG_S)
        return await self._stream(request, exchange)

    async def _stream(
        self, request: web.Request, exchange: SimulatedExchange
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=exchange.status, headers=exchange.headers)
        if exchange.declared_length is None:
            response.enable_chunked_encoding()
        else:
            response.content_length = exchange.declared_length
        await response.prepare(request)
        for n, piece in enumerate(exchange.pieces):
            if n > 0:
                await self._wait(piece.delay_s)
            await response.write(piece.data)
        await self._end(request, response, exchange)
        return response

    async def _end(
        self, request: web.Request, response: web.StreamResponse, exchange: SimulatedExchange
    ) -> None:
        if exchange.ending == "hang":
            await self._wait(HANG_S)
        if exchange.ending == "close_after":
            await response.write_eof()
        if exchange.ending in {"close", "close_after"} and request.transport is not None:
            request.transport.close()

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._simulator.timeline.sleep(seconds)


def _is_plain(exchange: SimulatedExchange) -> bool:
    whole = exchange.declared_length is not None and exchange.ending == "done"
    return whole and len(exchange.pieces) == 1


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_OFF)
    transport.abort()


@asynccontextmanager
async def serve(
    settings: SimulatorSettings, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncGenerator[Running]:
    """A simulator that answers while the block runs; port 0 takes any free one."""
    simulator = Simulator(settings, Timeline(SystemClock(), settings.time_scale))
    async with serve_simulator(simulator, host=host, port=port) as running:
        yield running


@asynccontextmanager
async def serve_simulator(
    simulator: Simulator, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncGenerator[Running]:
    """Serve a simulator that was made elsewhere."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_route("*", "/{path:.*}", _Player(simulator).handle)
    # A client that gives up cancels its handler, so that no stalled reply outlives it.
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.2)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=4096).start()
        bound = runner.addresses[0][1]
        yield Running(simulator=simulator, host=host, port=bound)
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)
