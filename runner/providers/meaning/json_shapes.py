"""Reads JSON that somebody else wrote: each accessor gives the wanted type or an empty value.

Replies may be truncated, retyped or hostile, so nothing about their shape is taken for granted and
nothing here raises.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

MAX_COUNT = 100_000_000
"""No call has this many tokens; a larger count is nonsense, not a bill."""
_MAX_DIGITS = 300
"""A longer whole number is read as infinite: its exact value would only cost time."""
_MAX_PLACES = 400
"""What is looked through in one body; a hostile one may have millions of places."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def parse_json(body: bytes) -> Any:
    """The JSON value of a body, or None when it is not JSON.

    What most readers accept is read: a byte order mark, NaN and Infinity, raw control characters,
    halves of surrogate pairs and of UTF-8 characters. Such halves stay in the texts until `mended`,
    since the other half may come with the next event of a stream.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _parse_tolerantly(body)


def _parse_tolerantly(body: bytes) -> Any:
    try:
        return json.loads(_text_of(body), strict=False, parse_int=_whole_number)
    except (ValueError, RecursionError):
        return None


def _text_of(body: bytes) -> str:
    """The text of a body; bytes that are no UTF-8 stay as escapes."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "surrogateescape")
    return body.decode("utf-8", "surrogateescape")


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def mended(text: str) -> str:
    """The text with halves of characters put together, and what is left over as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _PAIR.sub(
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text
        )
        escaped = _NO_BYTE.sub("\ufffd", text).encode("utf-8", "surrogateescape")
        return escaped.decode("utf-8", "replace")
    return text


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON value, the outer before the inner; only so many are looked at."""
    waiting: list[Any] = [value]
    for place in waiting:
        if isinstance(place, dict):
            yield as_dict(place)
            waiting += list(as_dict(place).values())[: max(0, _MAX_PLACES - len(waiting))]
        elif isinstance(place, list):
            waiting += as_list(place)[: max(0, _MAX_PLACES - len(waiting))]


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
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None
