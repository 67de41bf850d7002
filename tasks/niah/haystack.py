"""A haystack that is measured and cut in tokens, and shared by all prompts that hide in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tasks.byte_cache import ByteCache
from tasks.prose import Prose
from tasks.sample import Text
from tasks.tokens import ExactCounter

_SEGMENT = 8192
"""Tokens in one shared piece of prompt."""
_SMALLEST = 8192
"""Haystacks are made in sizes of this times a power of two, each large enough for many lengths."""
_CHARS_PER_TOKEN = 6
"""More than prose has, so that one try makes enough of it."""
_TAIL = 16
"""Tokens at the end of a text that may be cut otherwise once it goes on."""
_CACHE_BYTES = 128 * 2**20
"""Five repeats of a million tokens, with their encodings."""

MakeText = Callable[[int, int], str]
"""(seed, characters) to at least about so many characters of filler."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHaystack:
    """A text with the places where its tokens end."""

    utf8: bytes
    ends: NDArray[np.int64]
    periods: NDArray[np.int64]
    """Indices of the tokens that are a full stop and nothing else."""
    _segments: dict[tuple[int, int], Text] = field(default_factory=dict[tuple[int, int], Text])

    def pieces(self, start: int, stop: int) -> list[Text]:
        """Tokens start..stop as text; the pieces that other prompts have too are shared."""
        cuts = [start, *range(start - start % _SEGMENT + _SEGMENT, stop, _SEGMENT), stop]
        pieces = [self._piece(a, b) for a, b in pairwise(cuts)]
        return [piece for piece in pieces if piece.text]

    def cut(self, start: int, stop: int) -> list[Text]:
        """The same where the text ends at `stop`.

        A stop inside a character leaves U+FFFD in its place, as decoding the tokens does.
        """
        return [*self.pieces(start, stop), Text(self._rest(stop))] if stop > start else []

    def last_period(self, before: int) -> int:
        """The token after the last lone full stop among the first `before`; 0 without one."""
        index = int(np.searchsorted(self.periods, before))
        return int(self.periods[index - 1]) + 1 if index else 0

    @property
    def held_bytes(self) -> int:
        """About what it takes in memory once every piece was encoded."""
        return 4 * len(self.utf8) + 8 * len(self.ends)

    def _piece(self, start: int, stop: int) -> Text:
        if stop - start != _SEGMENT:
            return Text(self._text(start, stop))
        known = self._segments.get((start, stop))
        if known is None:
            known = self._segments.setdefault((start, stop), Text(self._text(start, stop)))
        return known

    def _text(self, start: int, stop: int) -> str:
        return self.utf8[self._at(start) : self._at(stop)].decode(errors="replace")

    def _rest(self, stop: int) -> str:
        """What is left of a character whose last tokens are cut off."""
        end = int(self.ends[stop - 1]) if stop else 0
        return self.utf8[self._at(stop) : end].decode(errors="replace")

    def _at(self, token: int) -> int:
        """The byte where a token starts, or the character that it is in the middle of."""
        at = int(self.ends[token - 1]) if token else 0
        while at < len(self.utf8) and 0x80 <= self.utf8[at] < 0xC0:
            at -= 1
        return at


class Haystacks:
    """Haystacks of all seeds and lengths, made when first needed."""

    def __init__(self, counter: ExactCounter, make: MakeText) -> None:
        self._counter = counter
        self._make = make
        self._period = int(counter.encode(".")[0])
        self._kept = ByteCache[tuple[int, int], TokenHaystack](
            _CACHE_BYTES, lambda haystack: haystack.held_bytes
        )

    def get(self, seed: int, tokens: int) -> TokenHaystack:
        """A haystack of at least so many tokens; shorter ones are beginnings of longer ones."""
        size = _SMALLEST
        while size < tokens:
            size *= 2
        return self._kept.get((seed, size), lambda: self._built(seed, size))

    def _built(self, seed: int, tokens: int) -> TokenHaystack:
        chars = tokens * _CHARS_PER_TOKEN
        text = self._make(seed, chars)
        ids = self._counter.encode(text)
        while len(ids) < tokens + _TAIL:
            chars *= 2
            text = self._make(seed, chars)
            ids = self._counter.encode(text)
        return TokenHaystack(
            utf8=text.encode(),
            ends=self._counter.ends(ids),
            periods=np.flatnonzero(ids == self._period),
        )


def prose_text(seed: int, chars: int) -> str:
    """Our prose, another one for each seed."""
    return Prose(seed).text(chars)


def repeated(corpus: str) -> MakeText:
    """The user's corpus, from its start and again from its start, the same for every seed."""

    def make(_seed: int, chars: int) -> str:
        return corpus * -(-chars // len(corpus))

    return make
