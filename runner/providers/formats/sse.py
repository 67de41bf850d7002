"""Splits a byte stream of server-sent events, wherever the network cut it."""

import json
from dataclasses import dataclass
from typing import Any

from runner.providers.meaning.json_shapes import as_list, parse_json

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name where it has one, and its data."""

    name: str
    data: bytes


_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_LONGEST_START = max(map(len, _STARTS))


def is_stream(start: bytes) -> bool | None:
    """Whether a body is an event stream, whatever its label; None while too little has come."""
    text = start.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if text.startswith(_STARTS):
        return True
    return None if len(text) < _LONGEST_START else False


def events_of(body: bytes) -> list["Event"]:
    """The events of a whole body: of an event stream, of a JSON array, or one for each line."""
    if is_stream(body):
        splitter = EventSplitter()
        return [*splitter.feed(body), *splitter.close()]
    value = parse_json(body)
    if isinstance(value, list):
        return [Event("", dumped) for item in as_list(value) if (dumped := _dumped(item))]
    lines = [line.strip() for line in body.removeprefix(_BYTE_ORDER_MARK).splitlines()]
    return [Event("", line) for line in lines if line] if value is None else []


def _dumped(value: Any) -> bytes:
    try:
        return json.dumps(value).encode()
    except RecursionError:
        return b""


class EventSplitter:
    """Takes chunks and gives the events that are complete.

    Lines end in CR LF, LF or CR; comments and unknown fields are skipped; data lines are joined
    with a newline, as the standard says.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        """The start of a line whose end has not come, in pieces: long lines are joined once."""
        self._name = ""
        self._data: list[bytes] = []
        self._started = False
        self._skip_lf = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Events that this chunk completes."""
        if self._skip_lf and chunk:
            # The CR of a CR LF ended the last chunk.
            chunk = chunk.removeprefix(b"\n")
            self._skip_lf = False
        if b"\n" not in chunk and b"\r" not in chunk:
            self._rest.append(chunk)
            return []
        buffer = b"".join((*self._rest, chunk))
        if not self._started:
            buffer = buffer.removeprefix(_BYTE_ORDER_MARK)
            self._started = True
        self._skip_lf = buffer.endswith(b"\r")
        lines = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = [lines.pop()]
        return [event for line in lines if (event := self._line(line)) is not None]

    def close(self) -> list[Event]:
        """The last event, when the stream ended without the blank line that should follow it."""
        rest = b"".join(self._rest)
        self._rest = []
        return self.feed(rest + b"\n\n") if rest else self.feed(b"\n")

    def _line(self, line: bytes) -> Event | None:
        if not line:
            return self._flush()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return None

    def _flush(self) -> Event | None:
        name, data = self._name, self._data
        self._name, self._data = "", []
        return Event(name, b"\n".join(data)) if data else None
