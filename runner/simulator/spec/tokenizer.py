"""A vocabulary that nobody knows: tokens follow from the kinds of text alone."""

import math

from runner.simulator.spec.settings import TokenizerSettings

PAIR_CHARS = 80
"""A key and a value of 36 characters with their JSON punctuation."""
SALARY_CHARS = 38
"""A usual line about a salary."""


def count_tokens(text: str, settings: TokenizerSettings) -> int:
    """Tokens of one turn; a few substring searches, whatever its length."""
    chars = len(text)
    uuid_chars = min(chars, PAIR_CHARS * text.count('": "'))
    lines = text.count(" earns ") + text.count(" received $")
    names_chars = min(chars - uuid_chars, SALARY_CHARS * lines)
    tokens = (
        uuid_chars * settings.uuid
        + names_chars * settings.names
        + (chars - uuid_chars - names_chars) * settings.prose
    )
    if not text.isascii():
        tokens += (len(text.encode()) - chars) * settings.non_ascii
    return math.ceil(tokens) + settings.per_message
