"""Splits a byte stream of server-sent events, wherever the network cut it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name where it has one, and its data."""

    name: str
    data: bytes


class EventSplitter:
    """Takes chunks and gives the events that are complete.

    Lines end in CR LF, LF or CR; comments and unknown fields are skipped; data lines are joined
    with a newline, as the standard says.
    """

    def __init__(self) -> None:
        self._rest: bytes = b""
        self._name = ""
        self._data: list[bytes] = []
        self._started = False
        self._skip_lf = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Events that this chunk completes."""
        if self._skip_lf and chunk:
            chunk = chunk[1:] if chunk[:1] == b"\n" else chunk
            self._skip_lf = False
        buffer = self._rest + chunk if self._rest else chunk
        if not self._started and buffer:
            if buffer[:1] == b"\xef" and len(buffer) < 3:
                self._rest = buffer
                return []
            buffer = buffer.removeprefix(b"\xef\xbb\xbf")
            self._started = True
        # The CR of a CR LF may end a chunk; the LF is then dropped from the next one.
        self._skip_lf = buffer.endswith(b"\r")
        lines = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        return [event for line in lines if (event := self._line(line)) is not None]

    def close(self) -> list[Event]:
        """The last event, when the stream ended without the blank line that should follow it."""
        last = self._line(self._rest) if self._rest else None
        self._rest = b""
        tail = self._line(b"")
        return [event for event in (last, tail) if event is not None]

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
