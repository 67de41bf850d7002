"""Reads JSON that somebody else wrote: each accessor gives the wanted type or an empty value.

Replies may be truncated, retyped or hostile, so nothing about their shape is taken for granted and
nothing here raises.
"""

from typing import Any

import orjson

MAX_COUNT = 1 << 40
"""No call has this many tokens; a larger count is nonsense, not a bill."""


def parse_json(body: bytes) -> Any:
    """The JSON value of a body, or None when it is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def is_broken(data: bytes, parsed: Any) -> bool:
    """Whether an event held something that is no object: a piece of the reply is missing then."""
    return bool(data.strip()) and not isinstance(parsed, dict)


def as_dict(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def as_list(value: Any) -> list[Any]:
    """The value when it is an array, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def as_text(value: Any) -> str:
    """The value when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_word(value: Any) -> str:
    """A code as a lower-case word, also when it was sent as a number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip().lower()


def as_count(value: Any) -> int | None:
    """A number of tokens, or None when it cannot be one."""
    if type(value) is int:
        return value if 0 <= value <= MAX_COUNT else None
    if not isinstance(value, float) or not 0 <= value <= MAX_COUNT or not value.is_integer():
        return None
    return int(value)
