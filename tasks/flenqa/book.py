"""The one text that the passages of a sweep's seed are taken from; it needs no tokenizer."""

from tasks.prose import Prose

CHARS_PER_TOKEN = 6
"""More than prose has, so that there are as many tokens as were asked for."""


def book(base: int, tokens: int) -> str:
    """The prose of one sweep seed, long enough for so many tokens."""
    return Prose(base).text(tokens * CHARS_PER_TOKEN)
