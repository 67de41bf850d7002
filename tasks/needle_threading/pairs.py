"""Haystacks of random UUID pairs as one JSON object, equal to the published ones byte for byte.

The published way draws a key and a value in turn, each `UUID(int=rng.getrandbits(128))`, and dumps
the pairs as JSON. Every pair then takes 80 characters, so the text is laid out as cells of fixed
width and filled by column; its JSON-escaped form is filled the same way, as cells of 84 bytes.
"""

import random
import threading
from binascii import hexlify
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tasks.sample import TaskError, Text

PAIR_CHARS = 80
UUID_CHARS = 36

_KEY, _VALUE = 2, 42  # where key and value start in a cell of the text
_JSON_PAIR, _JSON_KEY, _JSON_VALUE = 84, 3, 45  # and in a cell of the escaped text
_BLANK = b"-" * UUID_CHARS
_CELL = b' "' + _BLANK + b'": "' + _BLANK + b'",'
_JSON_CELL = b' \\"' + _BLANK + b'\\": \\"' + _BLANK + b'\\",'
_UUID_BLOCKS = ((0, 0, 8), (9, 8, 4), (14, 12, 4), (19, 16, 4), (24, 20, 4), (28, 24, 8))
"""Place in a UUID's text, place in its 32 hex digits, width; hyphens stand between.

Widths are those of machine words, so that a column of blocks is copied word by word.
"""

_MANY_BYTES = 1 << 14
"""From here on NumPy makes up for what its generator takes to be seeded."""
_Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """A JSON object of `pairs` random pairs."""

    pairs: int
    text: Text

    def key(self, index: int) -> str:
        """The key of a pair."""
        start = PAIR_CHARS * index + _KEY
        return self.text.text[start : start + UUID_CHARS]

    def value(self, index: int) -> str:
        """The value of a pair."""
        start = PAIR_CHARS * index + _VALUE
        return self.text.text[start : start + UUID_CHARS]

    def with_keys(self, keys: Mapping[int, str]) -> Text:
        """The text with some keys replaced by others of the same 36 characters; keys may repeat."""
        plain, escaped = bytearray(self.text.utf8), bytearray(self.text.json)
        for index, key in keys.items():
            start, json_start = PAIR_CHARS * index + _KEY, _JSON_PAIR * index + _JSON_KEY
            plain[start : start + UUID_CHARS] = key.encode("ascii")
            escaped[json_start : json_start + UUID_CHARS] = key.encode("ascii")
        return Text(plain.decode("ascii"), json=bytes(escaped))

    @property
    def held_bytes(self) -> int:
        """Bytes it takes once its text, UTF-8 and escaped form are all there."""
        return (2 * PAIR_CHARS + _JSON_PAIR) * self.pairs


def build(seed: int, pairs: int) -> Haystack:
    """The haystack of a seed; a smaller one of the same seed is a prefix of a larger one."""
    raw = _random_bytes(seed, 2 * 16 * pairs)
    _check_distinct(raw, seed)
    uuids = _uuids(raw)
    keys, values = uuids[0::2], uuids[1::2]
    plain = _fill(_CELL, keys, values, (_KEY, _VALUE))
    escaped = _fill(_JSON_CELL, keys, values, (_JSON_KEY, _JSON_VALUE))
    return Haystack(pairs=pairs, text=Text(str(plain.data, "ascii"), json=escaped.tobytes()))


class _Twister(threading.local):
    """NumPy's Mersenne Twister, one in each thread: making one takes as long as many draws."""

    def __init__(self) -> None:
        self._bits = np.random.MT19937(0)
        self._state = np.random.RandomState(self._bits)

    def draw(self, seed: int, count: int) -> bytes:
        """As `random.Random(seed).randbytes`, which is seeded with the number's 32-bit words.

        A list of them: NumPy takes an array of one word for a number, and seeds otherwise.
        """
        bits = max(1, seed.bit_length())
        self._state.seed([seed >> at & 0xFFFF_FFFF for at in range(0, bits, 32)])
        return self._bits.random_raw(count // 4).astype("<u4").tobytes()


_TWISTER = _Twister()


def _random_bytes(seed: int, count: int) -> bytes:
    """Four at a time, as the published way draws them."""
    if count < _MANY_BYTES:
        return random.Random(seed).randbytes(count)
    return _TWISTER.draw(seed, count)


def _check_distinct(raw: bytes, seed: int) -> None:
    for part in (np.dtype("<u4"), np.dtype("<u8")):  # distinct parts prove distinct UUIDs
        parts = np.sort(np.frombuffer(raw, part)[:: 16 // part.itemsize])
        if np.all(parts[1:] != parts[:-1]):
            return
    whole = [raw[start : start + 16] for start in range(0, len(raw), 16)]
    if len(set(whole)) != len(whole):
        raise TaskError(f"seed {seed} draws one UUID twice: use another seed")


def _uuids(raw: bytes) -> _Bytes:
    """One row of 36 ASCII characters for each 16 bytes, which hold the number lowest byte first."""
    last_first = np.frombuffer(raw, np.uint8)[::-1].tobytes()
    digits = np.frombuffer(hexlify(last_first), np.uint8).reshape(-1, 32)[::-1]
    text = np.full((len(digits), UUID_CHARS), ord("-"), np.uint8)
    for place, digit, width in _UUID_BLOCKS:
        word = np.dtype(f"u{width}")
        text[:, place : place + width].view(word)[:] = digits[:, digit : digit + width].view(word)
    return text


def _fill(cell: bytes, keys: _Bytes, values: _Bytes, starts: tuple[int, int]) -> _Bytes:
    cells = np.tile(np.frombuffer(cell, np.uint8), (len(keys), 1))
    for start, uuids in zip(starts, (keys, values), strict=True):
        cells[:, start : start + UUID_CHARS] = uuids
    cells[0, 0], cells[-1, -1] = ord("{"), ord("}")
    return cells
