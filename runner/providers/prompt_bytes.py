"""Splices prompt text, encoded once, into request bodies."""

from collections.abc import Iterable

from tasks.sample import Text


def spliced(pieces: list[bytes], lead: bytes, parts: Iterable[Text]) -> None:
    """Append `lead` and the JSON bytes of each part; shared parts stay the same objects."""
    pieces.append(lead)
    pieces.extend(part.json for part in parts)
