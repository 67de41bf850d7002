"""UTC now, for the stamps that storage itself writes."""

from datetime import UTC, datetime


def utc_us() -> int:
    """Microseconds since the epoch."""
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def utc_name() -> str:
    """Now as a part of a file name."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
