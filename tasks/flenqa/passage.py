"""Padding with one continuous passage of other text."""

from random import Random

from tasks.byte_cache import ByteCache
from tasks.flenqa.book import CHARS_PER_TOKEN, book
from tasks.flenqa.instance import BaseInstance
from tasks.flenqa.padding import Passages, Units, passages
from tasks.identity import seed_repeat
from tasks.tokens import ExactCounter

_SMALLEST = 1 << 18
"""Tokens of text that passages are taken from; twice the passage or more for long ones."""
_CACHE_BYTES = 96 * 2**20

_kept = ByteCache[tuple[str, str | None, int, int], Passages](
    _CACHE_BYTES, lambda text: text.held_bytes
)
"""One for all tasks: their passages come from the same text."""


class Different:
    """Passages of our prose, or of the user's corpus, cut at sentence ends.

    All repeats take theirs from one text, as the published ones do from one book corpus.
    """

    def __init__(self, counter: ExactCounter, corpus: str | None) -> None:
        self._counter = counter
        self._corpus = corpus

    def units(self, instance: BaseInstance, seed: int, rng: Random, budget: int) -> Units:
        """Units whose tokens add up to nearest the budget."""
        del instance
        tokens = _SMALLEST
        while tokens < 2 * budget:
            tokens *= 2
        base = seed - seed_repeat(seed)
        key = (self._counter.name, self._corpus, base, tokens)
        source = _kept.get(key, lambda: self._made(base, tokens))
        return source.take(rng, budget)

    def _made(self, base: int, tokens: int) -> Passages:
        if self._corpus is None:
            return passages(book(base, tokens), self._counter)
        chars = tokens * CHARS_PER_TOKEN
        short = len(self._corpus) < chars
        times = -(-chars // len(self._corpus)) if short else 1
        return passages("\n".join([self._corpus] * times), self._counter)
