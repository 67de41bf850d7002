"""Faults that happen to a finished response on its way to the client."""

import gzip
from collections.abc import Callable
from dataclasses import replace

from runner.simulator.spec.faults import FaultName
from runner.simulator.traffic.exchange import Piece, SimulatedExchange


def _half(exchange: SimulatedExchange) -> tuple[Piece, ...]:
    """The first half of the body, at least one byte short of all of it."""
    if len(exchange.pieces) > 1:
        return exchange.pieces[: len(exchange.pieces) // 2]
    return tuple(
        replace(piece, data=piece.data[: len(piece.data) // 2]) for piece in exchange.pieces
    )


def _joined(exchange: SimulatedExchange, data: bytes) -> tuple[Piece, ...]:
    return (Piece(delay_s=exchange.duration_s, data=data),)


def _reset(exchange: SimulatedExchange) -> SimulatedExchange:
    return replace(exchange, pieces=_joined(exchange, b""), ending="reset")


def _cut_length(exchange: SimulatedExchange) -> SimulatedExchange:
    return replace(
        exchange,
        pieces=_half(exchange),
        declared_length=len(exchange.body),
        ending="close",
    )


def _cut_chunked(exchange: SimulatedExchange) -> SimulatedExchange:
    return replace(exchange, pieces=_half(exchange), declared_length=None, ending="close")


def _cut_gzip(exchange: SimulatedExchange) -> SimulatedExchange:
    packed = gzip.compress(exchange.body)
    data = packed[: len(packed) // 2]
    headers = {**exchange.headers, "Content-Encoding": "gzip"}
    pieces = _joined(exchange, data)
    return replace(exchange, headers=headers, pieces=pieces, declared_length=len(data))


def _bad_json(exchange: SimulatedExchange) -> SimulatedExchange:
    """The body, or an event in the middle of it, ends before its JSON does."""
    pieces = list(exchange.pieces)
    middle = len(pieces) // 2
    data = pieces[middle].data
    cut = data[: len(data) // 2]
    if exchange.declared_length is None:
        pieces[middle] = replace(pieces[middle], data=cut + b"\n\n")
        return replace(exchange, pieces=tuple(pieces))
    return replace(exchange, pieces=_joined(exchange, cut), declared_length=len(cut))


def _wrong_shape(exchange: SimulatedExchange) -> SimulatedExchange:
    data = b'{"choices": "none", "content": 7, "candidates": {}}'
    if exchange.declared_length is None:
        data = b"data: " + data + b"\n\n"
        return replace(exchange, pieces=_joined(exchange, data))
    return replace(exchange, pieces=_joined(exchange, data), declared_length=len(data))


def _stall(exchange: SimulatedExchange) -> SimulatedExchange:
    return replace(exchange, pieces=(), ending="hang")


def _stall_body(exchange: SimulatedExchange) -> SimulatedExchange:
    length = None if exchange.declared_length is None else len(exchange.body)
    return replace(exchange, pieces=_half(exchange), declared_length=length, ending="hang")


def _sse_cut(exchange: SimulatedExchange) -> SimulatedExchange:
    if exchange.declared_length is not None:
        return _cut_length(exchange)
    return replace(exchange, pieces=_half(exchange))


def _close_after(exchange: SimulatedExchange) -> SimulatedExchange:
    return replace(exchange, ending="close_after")


_ON_THE_WIRE: dict[FaultName, Callable[[SimulatedExchange], SimulatedExchange]] = {
    "reset": _reset,
    "cut length": _cut_length,
    "cut chunked": _cut_chunked,
    "cut gzip": _cut_gzip,
    "bad json": _bad_json,
    "wrong shape": _wrong_shape,
    "stall": _stall,
    "stall body": _stall_body,
    "sse cut": _sse_cut,
    "close after": _close_after,
}


def spoil(exchange: SimulatedExchange, fault: FaultName) -> SimulatedExchange:
    """The response after the fault; other faults leave it as it is."""
    change = _ON_THE_WIRE.get(fault)
    return exchange if change is None else change(exchange)


def broken_off(exchange: SimulatedExchange, event: bytes, body: bytes) -> SimulatedExchange:
    """The error comes when half the events are out; without events it takes the body's place."""
    if exchange.declared_length is not None:
        return replace(exchange, pieces=_joined(exchange, body), declared_length=len(body))
    return replace(exchange, pieces=(*_half(exchange), Piece(delay_s=0.0, data=event)))


def as_event(exchange: SimulatedExchange, event: bytes) -> SimulatedExchange:
    """A failure that hides behind a 200, as the only event of a stream."""
    headers = {**exchange.headers, "content-type": "text/event-stream"}
    pieces = _joined(exchange, event)
    return replace(exchange, headers=headers, pieces=pieces, declared_length=None)
