"""Spellings of durations and stamps in provider headers."""

import math
from datetime import UTC, datetime, timedelta


def go_duration(seconds: float) -> str:
    """`120ms`, `1.5s`, `6m0s`, `1h0m3s`."""
    if seconds < 1:
        return f"{math.ceil(seconds * 1000)}ms"
    rounded = math.ceil(seconds * 1000) / 1000
    minutes, rest = divmod(rounded, 60)
    rest_text = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    if minutes < 1:
        return rest_text
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}h{minutes}m{rest_text}" if hours else f"{minutes}m{rest_text}"


def rfc3339(now_us: int, seconds: float) -> str:
    """The moment so many seconds from now, whole seconds, in UTC."""
    moment = datetime.fromtimestamp(now_us / 1_000_000, UTC) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def whole_seconds(seconds: float) -> str:
    """Round seconds up to a whole number, at least one."""
    return str(max(1, math.ceil(seconds)))
