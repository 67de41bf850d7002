"""Faults that happen to a finished response on its way to the client."""

import gzip
from collections.abc import Callable
from dataclasses import replace

from runner.simulator.spec.faults import FaultName
from runner.simulator.traffic.exchange import Exchange, Piece


def _half(exchange: Exchange) -> tuple[Piece, ...]:
    """The first half of the body, at least one byte short of all of it."""
    if len(exchange.pieces) > 1:
        return exchange.pieces[: len(exchange.pieces) // 2]
    return tuple(
        replace(piece, data=piece.data[: len(piece.data) // 2]) for piece in exchange.pieces
    )


def _joined(exchange: Exchange, data: bytes) -> tuple[Piece, ...]:
    return (Piece(delay_s=exchange.duration_s, data=data),)


def _reset(exchange: Exchange) -> Exchange:
    return replace(exchange, pieces=_joined(exchange, b""), ending="reset")


def _cut_length(exchange: Exchange) -> Exchange:
    return replace(
        exchange,
        pieces=_half(exchange),
        declared_length=len(exchange.body),
        ending="close",
    )


def _cut_chunked(exchange: Exchange) -> Exchange:
    return replace(exchange, pieces=_half(exchange), declared_length=None, ending="close")


def _cut_gzip(exchange: Exchange) -> Exchange:
    packed = gzip.compress(exchange.body)
    data = packed[: len(packed) // 2]
    headers = {**exchange.headers, "Content-Encoding": "gzip"}
    pieces = _joined(exchange, data)
    return replace(exchange, headers=headers, pieces=pieces, declared_length=len(data))


def _bad_json(exchange: Exchange) -> Exchange:
    """The body, or an event in the middle of it, ends before its JSON does."""
    pieces = list(exchange.pieces)
    middle = len(pieces) // 2
    data = pieces[middle].data
    cut = data[: len(data) // 2]
    if exchange.declared_length is None:
        pieces[middle] = replace(pieces[middle], data=cut + b"\n\n")
        return replace(exchange, pieces=tuple(pieces))
    return replace(exchange, pieces=_joined(exchange, cut), declared_length=len(cut))


def _wrong_shape(exchange: Exchange) -> Exchange:
    data = b'{"choices": "none", "content": 7, "candidates": {}}'
    if exchange.declared_length is None:
        data = b"data: " + data + b"\n\n"
        return replace(exchange, pieces=_joined(exchange, data))
    return replace(exchange, pieces=_joined(exchange, data), declared_length=len(data))


def _stall(exchange: Exchange) -> Exchange:
    return replace(exchange, pieces=(), ending="hang")


def _stall_body(exchange: Exchange) -> Exchange:
    length = None if exchange.declared_length is None else len(exchange.body)
    return replace(exchange, pieces=_half(exchange), declared_length=length, ending="hang")


def _sse_cut(exchange: Exchange) -> Exchange:
    if exchange.declared_length is not None:
        return _cut_length(exchange)
    return replace(exchange, pieces=_half(exchange))


def _close_after(exchange: Exchange) -> Exchange:
    return replace(exchange, ending="close_after")


_ON_THE_WIRE: dict[FaultName, Callable[[Exchange], Exchange]] = {
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


def spoil(exchange: Exchange, fault: FaultName) -> Exchange:
    """The response after the fault; other faults leave it as it is."""
    change = _ON_THE_WIRE.get(fault)
    return exchange if change is None else change(exchange)


def broken_off(exchange: Exchange, event: bytes, body: bytes) -> Exchange:
    """The error comes when half the events are out; without events it takes the body's place."""
    if exchange.declared_length is not None:
        return replace(exchange, pieces=_joined(exchange, body), declared_length=len(body))
    return replace(exchange, pieces=(*_half(exchange), Piece(delay_s=0.0, data=event)))


def as_event(exchange: Exchange, event: bytes) -> Exchange:
    """A failure that hides behind a 200, as the only event of a stream."""
    headers = {**exchange.headers, "content-type": "text/event-stream"}
    pieces = _joined(exchange, event)
    return replace(exchange, headers=headers, pieces=pieces, declared_length=None)
