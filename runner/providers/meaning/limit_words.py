"""Reads which limit a refusal names in words, for servers whose headers are silent."""

import re

from runner.providers.meaning.error_facts import ErrorFacts
from runner.wire import LimitHint, TooMuch

_DIMENSIONS = (
    (
        "input_tokens",
        re.compile(r"input[ _]tokens? ?(?:per min|_?count)|input_token_count|\bitpm\b"),
    ),
    ("output_tokens", re.compile(r"output[ _]tokens? ?(?:per min|_?count)|\botpm\b")),
    ("tokens", re.compile(r"tokens per min|_token_count\b|\btpm\b")),
    ("requests", re.compile(r"requests per min|\brpm\b|_requests\b|_requests_per_model\b")),
)
"""The narrower first: `input tokens per minute` also holds `tokens per min`."""
_LIMIT = re.compile(r"\blimit(?: of|:)? ([\d,]{1,15})")
_USED = re.compile(r"\bused:? ([\d,]{1,15})")
_DAILY = re.compile(r"per ?day|\brpd\b|\btpd\b|daily")


def too_much(facts: ErrorFacts) -> TooMuch:
    """What a refusal names: a rate, unless it speaks of what is in flight at once."""
    return TooMuch.CONCURRENCY if "concurren" in facts.text else TooMuch.RATE


def limit_in_words(facts: ErrorFacts) -> LimitHint | None:
    """The limit per minute that was hit; None where the words name none, or one per day."""
    text = facts.text[:2000]
    if _DAILY.search(text) or _DAILY.search(facts.quotas):
        return None
    limit = _LIMIT.search(text)
    dimension = next((name for name, words in _DIMENSIONS if words.search(text)), None)
    if limit is None or dimension is None or not (number := _count(limit[1])):
        return None
    used = _USED.search(text)
    # Whoever is refused knows at least that what is left was too little.
    left = 0 if used is None else max(0, number - _count(used[1]))
    return LimitHint(dimension=dimension, limit=number, remaining=left, in_words=True)


def _count(digits: str) -> int:
    return int(digits.replace(",", "") or 0)
