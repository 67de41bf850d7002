"""Identity is content: the same facts hash to the same id on any machine and Python."""

import hashlib
from typing import Any

import orjson

ID_BYTES = 16
"""128 bits: no collision to fear in any number of trials a file can hold."""


def canonical_json(value: Any) -> bytes:
    """JSON with sorted keys and no spaces; equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def stable_hash(value: Any) -> str:
    """Hash of a JSON value as 32 hex digits; never Python's own `hash`, which is salted."""
    return hashlib.blake2b(canonical_json(value), digest_size=ID_BYTES).hexdigest()


def derive_seed(*parts: Any) -> int:
    """A 64-bit seed from JSON values, for one `random.Random`."""
    digest = hashlib.blake2b(canonical_json(parts), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def trial_seed(sweep_seed: int, repeat: int) -> int:
    """The seed of one repeat; a sweep seeded 0 uses the published seeds 0, 1, 2, ...

    The model is left out on purpose: every model sees the same prompts.
    """
    return (sweep_seed << 32) + repeat


def seed_repeat(seed: int) -> int:
    """The repeat that a seed of `trial_seed` was made for."""
    return seed & 0xFFFF_FFFF
