"""Splices prompt text, encoded once, into request bodies; keeps what requests have in common."""

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from runner.providers.formats.capabilities import Capability
from runner.wire import Request
from tasks.sample import Text

_MAX_TAILS = 1024


def spliced(pieces: list[bytes], lead: bytes, parts: Iterable[Text]) -> None:
    """Append `lead` and the JSON bytes of each part; shared parts stay the same objects."""
    pieces.append(lead)
    pieces += [part.json for part in parts]


class Tails:
    """The settings part of request bodies: the same for all trials of a cell, so made once."""

    def __init__(self, make: Callable[[Request, Capability], dict[str, Any]]) -> None:
        self._make = make
        self._made: dict[tuple[str, bool, Capability, bytes], bytes] = {}

    def of(self, request: Request, known: Capability) -> bytes:
        """The settings as the inside of a JSON object, with its closing brace."""
        key = (request.model, request.stream, known, orjson.dumps(dict(request.params)))
        tail = self._made.get(key)
        if tail is None:
            if len(self._made) >= _MAX_TAILS:
                self._made.clear()
            tail = self._made[key] = orjson.dumps(self._make(request, known))[1:]
        return tail
