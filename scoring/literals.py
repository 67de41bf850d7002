"""Reads a reply that is a list or mapping in JSON, in Python, or nearly so."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

_TOKEN = re.compile(
    r"""
      "(?P<double>[^"]*)"
    | '(?P<single>[^']*)'
    | (?P<mark>[\[\](){},:])
    | (?P<bare>[^\[\](){},:"'\s]+)
    | \s+
    """,
    re.VERBOSE,
)
_FENCE = re.compile(r"```(?:[A-Za-z]+\s)?(.*?)(?:```|\Z)", re.DOTALL)
_MOST_FENCES = 8
_LONGEST_LITERAL = 10_000
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES = frozenset("\n\\'\"abfnrtv01234567xNuU")
OPENING = frozenset("[{(\"'")
"""What a list or mapping begins with, and what a text of quoted items does."""


def read_items(text: str) -> list[str] | None:
    """Items of a list, or values of a mapping, in order and flattened; None where text is neither.

    Quotes may be missing, and a reply that was cut short keeps the items that it has.
    """
    body = text.strip()
    if body[:1] not in OPENING:
        return None
    tokens = _tokens(body)
    return None if tokens is None else list(_values(tokens))


def fenced(text: str) -> list[str]:
    """The contents of the first few code fences."""
    if "```" not in text:
        return []
    return [match.group(1).strip() for match in islice(_FENCE.finditer(text), _MOST_FENCES)]


def evaluated(text: str) -> str | None:
    """What a reply that is a Python literal evaluates to, as the published code reads it.

    A text is what it says. A list or tuple is compared there with a text, and never equals one: it
    is given as it stands. None for what is no literal, or one that ends in an error there.
    """
    body = text.strip()
    if body[:1] not in OPENING or len(body) > _LONGEST_LITERAL:
        return None
    try:
        value: object = ast.literal_eval(_ESCAPE.sub(_known_escape, body))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if isinstance(value, str):
        return value
    return body if isinstance(value, list | tuple) else None


def _known_escape(match: re.Match[str]) -> str:
    """An escape that Python does not know means its two characters; spelt so, it warns of none."""
    return match[0] if match[1] in _KNOWN_ESCAPES else f"\\\\{match[1]}"


def _tokens(body: str) -> list[tuple[str, str]] | None:
    """Kind and text of each token; None where a quote has no partner."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None:
            return None
        kind = match.lastgroup
        if kind is not None:
            tokens.append((kind, match.group(kind)))
        at = match.end()
    return tokens


def _values(tokens: list[tuple[str, str]]) -> Iterator[str]:
    """What stands between marks, but for what stands before a colon: that is a key."""
    words: list[str] = []
    for kind, text in [*tokens, ("mark", ",")]:
        if kind != "mark":
            words.append(text)
            continue
        if words and text != ":":
            yield " ".join(words)
        words = []
