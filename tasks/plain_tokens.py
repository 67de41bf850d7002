"""Counts plain ASCII by the part of a vocabulary that such text can use.

A whole vocabulary takes up to a second and a half to set up, its plain part a fifth of that: worth
it where little is counted. No merge of ASCII text leaves ASCII, so the rest of the vocabulary
changes nothing; any other text is handed to the whole one, which is then set up after all.
"""

import struct
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import quicktok  # pyright: ignore[reportMissingTypeStubs]
import tiktoken
from numpy.typing import NDArray

_FILES = {
    "cl100k_base": "cl100k.vocab",
    "o200k_base": "o200k.vocab",
    "llama3": "llama3.vocab",
    "qwen3": "qwen3.vocab",
}
_CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
_SPACED = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# The published split patterns of the vocabularies, as tiktoken spells them.
PATTERNS: dict[str, str] = {
    "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama3": f"{_CONTRACTED}{{1,3}}{_SPACED}",
    "qwen3": f"{_CONTRACTED}{_SPACED}",
}


class Scanner(Protocol):
    """The part of quicktok's Tokenizer in use; the package has no type stubs."""

    @property
    def eot_token(self) -> int:
        """The token after the last ordinary one."""
        ...

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        ...

    def encode_batch(
        self, texts: list[str], threads: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """All tokens one after another, and where those of each text begin and end."""
        ...

    def decode_single_token_bytes(self, token: int) -> bytes:
        """What a token spells. Raises KeyError for one that spells nothing."""
        ...


class PlainPart(NamedTuple):
    """What ASCII text needs of a vocabulary."""

    ranks: dict[bytes, int]
    """ASCII tokens and all single bytes; a token's rank is its id."""
    end: int
    """After the last rank of the whole vocabulary."""


class PlainScanner:
    """Scans ASCII alone; asks the whole vocabulary about everything else."""

    def __init__(self, name: str, part: PlainPart, whole: Callable[[], Scanner]) -> None:
        self._part = part
        self._encoding = tiktoken.Encoding(
            name, pat_str=PATTERNS[name], mergeable_ranks=part.ranks, special_tokens={}
        )
        self._make_whole = whole

    @cached_property
    def _spelled(self) -> dict[int, bytes]:
        return {rank: token for token, rank in self._part.ranks.items()}

    @cached_property
    def _whole(self) -> Scanner:
        return self._make_whole()

    @property
    def eot_token(self) -> int:
        """The token after the last ordinary one."""
        return self._part.end

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        if not text.isascii():
            return self._whole.count(text)
        return len(self._encoding.encode_ordinary(text))

    def encode_batch(
        self, texts: list[str], threads: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """All tokens one after another, and where those of each text begin and end."""
        if not all(text.isascii() for text in texts):
            return self._whole.encode_batch(texts, threads)
        encode = self._encoding.encode_to_numpy
        tokens = [encode(text, disallowed_special=()) for text in texts]
        ends = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
        return np.concatenate(tokens) if tokens else np.zeros(0, np.uint32), ends

    def decode_single_token_bytes(self, token: int) -> bytes:
        """What a token spells. Raises KeyError for one that spells nothing."""
        spelled = self._spelled.get(token)
        return self._whole.decode_single_token_bytes(token) if spelled is None else spelled


def plain_part(name: str) -> PlainPart | None:
    """The plain part of a vocabulary; None where its file can not be read as expected.

    The scanner's package keeps a vocabulary as a count, then length, bytes and rank of each token
    in the order of ranks.
    """
    path = Path(quicktok.__file__).parent / "data" / _FILES[name]
    try:
        part = _read(path.read_bytes())
    except (OSError, struct.error):
        return None
    return part if all(bytes((byte,)) in part.ranks for byte in range(256)) else None


def _read(data: bytes) -> PlainPart:
    count, length = struct.unpack_from("<IH", data)
    rank_and_length = struct.Struct("<IH").unpack_from
    data += b"\0\0"  # the last token has no length behind it
    ranks: dict[bytes, int] = {}
    start, rank = 6, -1
    for _ in range(count):
        end = start + length
        token = data[start:end]
        rank, length = rank_and_length(data, end)
        if token.isascii() or len(token) == 1:
            ranks[token] = rank
        start = end + 6
    return PlainPart(ranks, rank + 1)
