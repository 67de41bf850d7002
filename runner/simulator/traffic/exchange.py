"""A response as data: what is sent, when, and how the connection ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from runner.simulator.traffic.audit import LogEntry

Ending = Literal["done", "reset", "close", "hang", "close_after"]
"""Sent in full; reset at once; closed too early; left hanging; sent in full, then closed unsaid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request as it came off the wire."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """By lower-case name."""
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes of the body, and how long they are waited for."""

    delay_s: float
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedExchange:
    """A response that is yet to be played, on a socket or in a test's own time."""

    entry: LogEntry | None
    """Its line in the log, where it has one."""
    status: int
    headers: Mapping[str, str]
    pieces: tuple[Piece, ...]
    """The headers go out with the first piece."""
    declared_length: int | None = None
    """Content-Length; None is chunked."""
    ending: Ending = "done"

    @property
    def body(self) -> bytes:
        """All bytes that are sent."""
        return b"".join(piece.data for piece in self.pieces)

    @property
    def duration_s(self) -> float:
        """Simulated seconds until the last byte."""
        return sum(piece.delay_s for piece in self.pieces)
