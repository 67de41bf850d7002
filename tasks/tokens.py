"""How many tokens a text is: exactly where the tokenizer is known, as a stated range elsewhere.

Four tokenizers ship inside a dependency, so nothing is ever downloaded. Counting runs without
Python's lock but for a few milliseconds per megabyte: do it in a thread.
"""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple, cast

import numpy as np
import quicktok  # pyright: ignore[reportMissingTypeStubs]
import tiktoken
from numpy.typing import NDArray

from tasks.facts import TextKind
from tasks.plain_tokens import PATTERNS, PlainScanner, Scanner, plain_part

TokenizerName = Literal["cl100k_base", "o200k_base", "llama3", "qwen3"]

_MODELS: dict[str, TokenizerName] = {
    "chatgpt-4o": "o200k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "gpt-4": "cl100k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4o": "o200k_base",
    "gpt-5": "o200k_base",
    "gpt-5.1": "o200k_base",
    "gpt-5.2": "o200k_base",
    "gpt-oss": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4": "o200k_base",
    "llama-3": "llama3",
    "llama-3.1": "llama3",
    "llama-3.2": "llama3",
    "llama-3.3": "llama3",
    "llama3": "llama3",
    "llama3.1": "llama3",
    "llama3.2": "llama3",
    "llama3.3": "llama3",
    "meta-llama-3": "llama3",
    "meta-llama-3.1": "llama3",
    "qwen2": "qwen3",
    "qwen2.5": "qwen3",
    "qwen3": "qwen3",
}
"""Model families whose tokenizer is published and the same for every member."""

_BOUNDARIES = ("", "-", ":", "@")
"""What may follow a family's name: `qwen3-8b` is of family qwen3, `qwen3.5` is not."""

_NEWER_THAN_THE_SCANNER = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1add\u1ae0-\u1aeb\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1"
    "\U00010940-\U00010959\U00010ec5-\U00010ec7\U00010efa\U00010efb\U00011b60-\U00011b67"
    "\U00011db0-\U00011ddb\U00011de0-\U00011de9\U00016ea0-\U00016eb8\U00016ebb-\U00016ed3"
    "\U00016ff2-\U00016ff6\U000187f8-\U000187ff\U00018d09-\U00018d1e\U00018d80-\U00018df2"
    "\U0001e6c0-\U0001e6de\U0001e6e0-\U0001e6f5\U0001e6fe\U0001e6ff"
    "\U0002b73a-\U0002b73f\U0002cea2-\U0002cead\U000323b0-\U00033479]"
)
"""Letters new in Unicode 17, found by comparing every code point: only where one of these stands do
the fast scanner and tiktoken cut a text differently, and there tiktoken is asked instead."""

_SLICE = 1 << 18
"""Characters searched at once, so that other threads get their turn in between."""

_REFERRED: frozenset[TokenizerName] = frozenset(("cl100k_base", "o200k_base"))
"""Vocabularies for which tiktoken is the reference."""


class ExactCounter:
    """Counts under a published tokenizer; spellings of special tokens count as plain text."""

    def __init__(self, name: TokenizerName, scanner: Scanner) -> None:
        self.name: str = name
        self._scanner = scanner

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        if self._needs_reference(text):
            return len(self.encode(text))
        return self._scanner.count(text)

    def counts(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens in each of many texts, in one call."""
        if any(self._needs_reference(text) for text in texts):
            return np.array([self.count(text) for text in texts], dtype=np.int64)
        return np.diff(self._scanner.encode_batch(texts, 1)[1])

    def encode(self, text: str) -> NDArray[np.uint32]:
        """The token ids of `text`."""
        if self._needs_reference(text):
            return self._reference.encode_to_numpy(text, disallowed_special=())
        return self._scanner.encode_batch([text], 1)[0]

    def ends(self, tokens: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Where each token ends in the UTF-8 bytes of the text they spell."""
        return np.cumsum(self._widths_of(tokens), dtype=np.int64)

    def _needs_reference(self, text: str) -> bool:
        if text.isascii() or self.name not in _REFERRED:
            return False
        search = _NEWER_THAN_THE_SCANNER.search
        return any(search(text, at, at + _SLICE) for at in range(0, len(text), _SLICE))

    def _ranks(self) -> dict[bytes, int]:
        """Every ordinary token with its rank, which is its id; a few ids spell nothing."""
        ranks: dict[bytes, int] = {}
        for token in range(self._scanner.eot_token):
            with suppress(KeyError):
                ranks[self._scanner.decode_single_token_bytes(token)] = token
        return ranks

    def _widths_of(self, tokens: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Bytes of each token; a text has few different ones, so they are asked for when met."""
        widths = self._widths
        for token in np.unique(tokens[widths[tokens] == 0]).tolist():
            widths[token] = len(self._scanner.decode_single_token_bytes(token))
        return widths[tokens]

    @cached_property
    def _widths(self) -> NDArray[np.int64]:
        """Bytes of the tokens met so far; 0 for the others. Threads may fill it at once."""
        return np.zeros(self._scanner.eot_token, dtype=np.int64)

    @cached_property
    def _reference(self) -> tiktoken.Encoding:
        return tiktoken.Encoding(
            self.name,
            pat_str=PATTERNS[self.name],
            mergeable_ranks=self._ranks(),
            special_tokens={},
        )


class Estimate(NamedTuple):
    """Tokens of a text under an unknown tokenizer."""

    low: int
    expected: int
    worst: int
    """More than any tokenizer measured so far."""
    bound: int
    """Not to be passed: a token is at least a byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Tokens per UTF-8 byte of one kind of text."""

    low: float
    expected: float
    worst: float


class EstimatingCounter:
    """Guesses tokens from bytes, for tokenizers that were never published."""

    def __init__(self, name: str, ratio: Ratio) -> None:
        self.name = name
        self.ratio = ratio

    def count(self, text: str) -> int:
        """The expected tokens in `text`."""
        return self.estimate(len(text.encode())).expected

    def estimate(self, utf8_bytes: int) -> Estimate:
        """The range for a text of that many bytes."""
        ratio, ceil = self.ratio, math.ceil
        return Estimate(
            low=min(utf8_bytes, ceil(utf8_bytes * ratio.low)),
            expected=min(utf8_bytes, ceil(utf8_bytes * ratio.expected)),
            worst=min(utf8_bytes, ceil(utf8_bytes * ratio.worst)),
            bound=utf8_bytes,
        )


_ANY: dict[TextKind, Ratio] = {
    "uuid": Ratio(low=0.60, expected=0.75, worst=1.0),
    "prose": Ratio(low=0.18, expected=0.24, worst=0.40),
    "names": Ratio(low=0.22, expected=0.29, worst=0.50),
    "mixed": Ratio(low=0.20, expected=0.40, worst=1.0),
}
_FAMILIES: dict[str, dict[TextKind, Ratio]] = {
    # 52 tokens per 80 characters of UUID pairs under the last one that was published.
    "claude": {**_ANY, "uuid": Ratio(low=0.62, expected=0.70, worst=1.0)},
    # 72 to 75 tokens per 80 characters of UUID pairs; digits stand alone.
    "gemini": {**_ANY, "uuid": Ratio(low=0.88, expected=0.94, worst=1.0)},
    # Digits stand alone here too.
    "mistral": {**_ANY, "uuid": Ratio(low=0.70, expected=0.85, worst=1.0)},
}


def exact_counter(name: TokenizerName) -> ExactCounter:
    """The one counter of that tokenizer."""
    counter = _whole.get(name)
    return counter or _whole.setdefault(name, ExactCounter(name, _scanner(name)))


def counter_at_hand(name: TokenizerName) -> ExactCounter:
    """A counter for a few megabytes: as exact, but sooner ready where none is in use yet."""
    return _whole.get(name) or _plain_counter(name)


_whole: dict[TokenizerName, ExactCounter] = {}


@cache
def _plain_counter(name: TokenizerName) -> ExactCounter:
    part = plain_part(name)
    if part is None:
        return exact_counter(name)
    return ExactCounter(name, PlainScanner(name, part, lambda: _scanner(name)))


def _scanner(name: TokenizerName) -> Scanner:
    return cast("Scanner", quicktok.get_encoding(name))  # pyright: ignore[reportUnknownMemberType]


def tokenizer_of(model: str) -> TokenizerName | None:
    """The published tokenizer of a model; its name may have an organisation before it."""
    name = _bare(model)
    for length in range(len(name), 0, -1):
        known = _MODELS.get(name[:length])
        if known is not None and name[length : length + 1] in _BOUNDARIES:
            return known
    return None


@lru_cache(maxsize=256)
def estimating_counter(model: str, kind: TextKind) -> EstimatingCounter:
    """A counter for text of that kind under a tokenizer nobody has."""
    name = _bare(model)
    family = next((family for family in _FAMILIES if name.startswith(family)), "any")
    return EstimatingCounter(f"estimate-{family}-{kind}", _FAMILIES.get(family, _ANY)[kind])


def _bare(model: str) -> str:
    return model.lower().removeprefix("ft:").rpartition("/")[2]
