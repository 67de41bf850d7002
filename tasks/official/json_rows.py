"""Cuts a JSON document of any size into its rows, holding one row at a time.

Published files come as an array of objects, or as an object of such arrays (one per split). Rows
are found by their braces alone, so a row that is not JSON is reported with its line and passed.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

import orjson

CHUNK_BYTES = 1 << 20
MAX_ROW_BYTES = 64 << 20
"""Thirty times the largest published row; more is no row but a file that is cut or not JSON."""

_TOKEN = re.compile(
    rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?P<end>"|\\?\n|\\?\Z)|(?P<mark>[\[\]{}])|[^\s\[\]{}",:]+'
)
"""A string ends at a line break at the latest: so an unclosed one spoils its own line only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRow:
    """One row as it was read, or what is wrong with it."""

    place: str
    """File and line, for messages."""
    split: str = ""
    """What the file calls the set that the row is in, where it says so."""
    value: dict[str, Any] | None = None
    problem: str = ""


def parse_row(blob: bytes, place: str, split: str = "") -> RawRow:
    """The row, or its problem: not JSON, not an object."""
    try:
        value = _load(blob)
    except json.JSONDecodeError as error:  # its own line number would be one within the row
        reason = error.msg.removesuffix(" at")
        return RawRow(place=place, split=split, problem=f"not JSON: {reason} at {error.pos}")
    except (ValueError, TypeError, RecursionError) as error:
        return RawRow(place=place, split=split, problem=f"not JSON: {error}")
    if not isinstance(value, dict):
        return RawRow(place=place, split=split, problem="not a JSON object")
    return RawRow(place=place, split=split, value=cast("dict[str, Any]", value))


def _load(blob: bytes) -> Any:
    try:
        return orjson.loads(blob)
    except orjson.JSONDecodeError:
        # Python and pandas write NaN for a missing value; the round trip makes it null and refuses
        # what could not be stored again, such as half a surrogate pair.
        return orjson.loads(orjson.dumps(json.loads(blob)))


def read_lines(file: IO[bytes], name: str) -> Iterator[RawRow]:
    """Rows of a file with one JSON object a line; blank lines are no rows."""
    number = 0
    while line := file.readline(MAX_ROW_BYTES):
        number += 1
        place = f"{name} line {number}"
        if not line.endswith(b"\n") and len(line) == MAX_ROW_BYTES:
            _skip_line(file)
            yield RawRow(place=place, problem=f"longer than {MAX_ROW_BYTES >> 20} MiB")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield parse_row(line, place)


def _skip_line(file: IO[bytes]) -> None:
    while rest := file.readline(CHUNK_BYTES):
        if rest.endswith(b"\n"):
            return


def read_document(file: IO[bytes], name: str) -> Iterator[RawRow]:
    """Rows of a JSON document: every object whose parent is an array."""
    return _JsonDocument(file, name).rows()


class _JsonDocument:
    """A place in a document: the bytes around it, and what was passed on the way there.

    Published rows hold no objects, so a brace inside a row means that the row was never closed.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._buffer = b""
        self._keep = 0  # where the current row starts in the buffer
        self._at = 0
        self._line = 1
        self._ended = False
        self._gave_up = False

    def rows(self) -> Iterator[RawRow]:
        arrays, label, split, strays = 0, "", "", False
        while (token := self._next()) is not None:
            self._keep = self._at
            if token == b"[":
                arrays, split = arrays + 1, label
            elif token == b"]":
                arrays = max(0, arrays - 1)
            elif token == b"{" and arrays > 0:
                strays = False
                yield self._row(split)
            elif token not in b"{}":
                label = token.strip(b'"').decode("utf-8", "replace")
                if arrays > 0 and not strays:  # one report for all that stands between two rows
                    yield self._problem("not a JSON object", split)
                    strays = True
        if self._gave_up:
            yield self._problem(
                f"a row over {MAX_ROW_BYTES >> 20} MiB: the rest is not read", split
            )

    def _problem(self, problem: str, split: str) -> RawRow:
        return RawRow(place=f"{self._name} line {self._line}", split=split, problem=problem)

    def _row(self, split: str) -> RawRow:
        """The row whose opening brace was just read."""
        self._keep = self._at - 1
        broken = self._problem("not closed", split)
        while (token := self._next()) is not None:
            if token == b"{":
                self._at -= 1
                return broken
            if token.startswith(b'"') and not (len(token) > 1 and token.endswith(b'"')):
                return broken
            if token == b"}":
                return parse_row(self._buffer[self._keep : self._at], broken.place, split)
        return broken

    def _next(self) -> bytes | None:
        """The next token; None at the end of the file."""
        while True:
            match = _TOKEN.search(self._buffer, self._at)
            if match is not None and (self._ended or self._is_whole(match)):
                self._line += self._buffer.count(b"\n", self._at, match.end())
                self._at = match.end()
                return match[0]
            if self._ended:
                return None
            self._read()

    def _is_whole(self, match: re.Match[bytes]) -> bool:
        closed = (match["end"] or b"").endswith((b'"', b"\n"))
        return match["mark"] is not None or closed or match.end() < len(self._buffer)

    def _read(self) -> None:
        """As much again as is kept, so that long rows are not scanned over and over."""
        kept = self._buffer[self._keep :]
        self._gave_up = len(kept) > MAX_ROW_BYTES
        chunk = b"" if self._gave_up else self._file.read(max(CHUNK_BYTES, len(kept)))
        self._buffer = kept + chunk
        self._at -= self._keep
        self._keep = 0
        self._ended = not chunk
