"""Reads a reply that is a list or mapping in JSON, in Python, or nearly so."""

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
