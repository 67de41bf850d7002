"""One HTTP answer, as the wire formats read it."""

from collections.abc import Mapping

from msgspec import Struct


class Answer(Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP response, whole."""

    status: int
    headers: Mapping[str, str]
    """Case-insensitive, or with lower-case keys."""
    body: bytes = b""
    now: float
    """Seconds since the epoch when the headers came; dates in headers are read against it."""
    first_byte_s: float | None = None
