"""Running text and the places between its sentences, where more can be put in."""

import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from tasks.identity import derive_seed
from tasks.prose import Prose

_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)\]]*(?=\s|\Z)|[\u3002\uff01\uff1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Text with the offsets at which its sentences end."""

    text: str
    ends: "array[int]"

    @property
    def held_bytes(self) -> int:
        """Bytes it takes in memory."""
        return sys.getsizeof(self.text) + sys.getsizeof(self.ends)

    def cut(self, chars: int) -> "Passage":
        """The longest run of whole sentences within `chars`; a first sentence too long is cut."""
        kept = bisect_right(self.ends, chars)
        ends = self.ends[:kept] if kept else array("q", [min(chars, len(self.text))])
        return Passage(text=self.text[: ends[-1]], ends=ends)

    def with_sentences(self, sentences: Mapping[int, str], per_end: int) -> str:
        """The text with sentences put in; a slot is `end index * per_end`, plus a rank there."""
        pieces: list[str] = []
        done = 0
        for slot in sorted(sentences):
            end = self.ends[slot // per_end]
            pieces += (self.text[done:end], " ", sentences[slot])
            done = end
        return "".join((*pieces, self.text[done:]))


def passage(text: str) -> Passage:
    """The text with its sentence ends found."""
    ends = array("q", (match.end() for match in _SENTENCE_END.finditer(text)))
    return Passage(text=text, ends=ends)


def seeded_passage(seed: int, chars: int) -> Passage:
    """Our own prose of a seed."""
    return passage(Prose(seed).text(chars))


def corpus_passage(corpus: str, seed: int, chars: int) -> Passage:
    """A stretch of the user's text, from a sentence that the seed picks, and round its end."""
    near = Random(derive_seed("corpus", seed)).randrange(len(corpus))
    end = _SENTENCE_END.search(corpus, near)
    start = end.end() if end else 0
    stretch = corpus[start : start + chars]
    if len(stretch) < chars:
        stretch = f"{stretch}\n\n{corpus[: chars - len(stretch)]}"
    return passage(stretch.lstrip()[:chars])
