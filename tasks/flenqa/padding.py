"""Padding to a number of tokens, and the places of the key paragraphs in it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tasks.flenqa.instance import BaseInstance, Paragraph
from tasks.tokens import ExactCounter

_SENTENCE = re.compile(
    r"\s*\S.*?(?:[.!?][\"')\]\u201d\u2019]*(?=\s)|[\u3002\uff01\uff1f]|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Pieces of padding that are never cut: paragraphs or sentences, with the space before them."""

    texts: Sequence[str] = ()
    tokens: Sequence[int] | NDArray[np.int64] = ()


class Filler(Protocol):
    """A kind of padding."""

    def units(self, instance: BaseInstance, seed: int, rng: Random, budget: int) -> Units:
        """Units whose tokens add up to nearest the budget."""
        ...


class Duplicate:
    """Copies of the two key paragraphs in turn."""

    def units(self, instance: BaseInstance, seed: int, rng: Random, budget: int) -> Units:
        """Units whose tokens add up to nearest the budget."""
        del seed, rng
        return nearest(cycle(instance.paragraphs), budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """One long text as sentences, out of which continuous passages are taken."""

    sentences: tuple[str, ...]
    ends: NDArray[np.int64]
    """Tokens up to the end of each sentence."""

    def take(self, rng: Random, budget: int) -> Units:
        """A passage from a random sentence on, of nearest so many tokens."""
        room = int(self.ends[-1]) - budget
        start = rng.randrange(max(1, int(np.searchsorted(self.ends, room))))
        before = int(self.ends[start - 1]) if start else 0
        stop = int(np.searchsorted(self.ends, before + budget))
        over = int(self.ends[min(stop, len(self.ends) - 1)]) - before - budget
        under = before + budget - int(self.ends[stop - 1] if stop else 0)
        stop += over < under
        return Units(
            texts=self.sentences[start:stop], tokens=np.diff(self.ends[start:stop], prepend=before)
        )

    @property
    def held_bytes(self) -> int:
        """About what it takes in memory."""
        return sum(map(len, self.sentences)) + 64 * len(self.sentences)


def passages(text: str, counter: ExactCounter) -> Passages:
    """A text cut at sentence ends; every sentence keeps the white space before it."""
    sentences = tuple(match[0] for match in _SENTENCE.finditer(text))
    bytes_up_to = np.cumsum([len(sentence.encode()) for sentence in sentences])
    token_ends = counter.ends(counter.encode(text))
    return Passages(sentences=sentences, ends=np.searchsorted(token_ends, bytes_up_to) + 1)


def nearest(paragraphs: Iterable[Paragraph], budget: int) -> Units:
    """The first paragraphs, as many as bring the sum of tokens nearest to the budget."""
    texts: list[str] = []
    tokens: list[int] = []
    left = budget
    for paragraph in paragraphs:
        if abs(left - paragraph.tokens) >= abs(left):
            break
        texts.append("\n" + paragraph.text)
        tokens.append(paragraph.tokens)
        left -= paragraph.tokens
    return Units(texts=texts, tokens=tokens)


def arranged(keys: tuple[str, str], units: Units, placement: str, rng: Random) -> str:
    """The padded text: key paragraphs whole, each in a line of its own, at their places."""
    first, second = _places(units, placement, rng)
    texts = units.texts
    parts = (
        "".join(texts[:first]),
        keys[0],
        "".join(texts[first:second]),
        keys[1],
        "".join(texts[second:]),
    )
    return "\n".join(part.strip() for part in parts if part)


def _places(units: Units, placement: str, rng: Random) -> tuple[int, int]:
    """Before which units the key paragraphs stand."""
    count = len(units.texts)
    if placement == "first" or not count:
        return 0, 0
    if placement == "last":
        return count, count
    if placement == "middle":
        ends = np.cumsum(units.tokens)
        middle = int(np.argmin(np.abs(2 * np.concatenate(([0], ends)) - ends[-1])))
        return middle, middle
    low, high = sorted(rng.sample(range(count + 1), 2))
    return low, high
