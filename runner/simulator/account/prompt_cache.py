"""A provider's prompt cache: which beginnings of prompts it has seen lately."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from runner.simulator.spec.settings import CacheSettings

BLOCK_BYTES = 512
MAX_BLOCKS = 400_000
"""Two hundred megabytes of prompts, in about fifty megabytes of memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """A prompt as the cache sees it."""

    digests: tuple[bytes, ...]
    share: float
    """Of its bytes, in a prefix that was seen before."""


class PrefixCache:
    """Remembers prefixes in blocks of bytes, for a while after their last use."""

    def __init__(self, settings: CacheSettings) -> None:
        self._settings = settings
        self._expires: OrderedDict[bytes, float] = OrderedDict()

    def look_up(self, scope: str, prompt: bytes, now_s: float) -> Prefix:
        """How much of a prompt was seen before."""
        digests = _chain(scope, prompt)
        seen = 0
        for digest in digests:
            if self._expires.get(digest, 0.0) <= now_s:
                break
            seen += 1
        share = min(1.0, seen * BLOCK_BYTES / len(prompt)) if prompt else 0.0
        return Prefix(digests=tuple(digests), share=share)

    def remember(self, prefix: Prefix, now_s: float) -> None:
        """From now on all of the prompt has been seen."""
        for digest in prefix.digests:
            self._expires[digest] = now_s + self._settings.ttl_s
            self._expires.move_to_end(digest)
        while len(self._expires) > MAX_BLOCKS:
            self._expires.popitem(last=False)

    def cached_tokens(self, share: float, tokens: int) -> int:
        """Tokens that a share is billed as: whole steps, and none below the minimum."""
        whole = int(share * tokens) // self._settings.step_tokens * self._settings.step_tokens
        return whole if whole >= self._settings.min_tokens else 0


def _chain(scope: str, prompt: bytes) -> list[bytes]:
    running = hashlib.blake2b(scope.encode(), digest_size=16)
    digests: list[bytes] = []
    view = memoryview(prompt)
    for start in range(0, len(prompt) - BLOCK_BYTES + 1, BLOCK_BYTES):
        running.update(view[start : start + BLOCK_BYTES])
        digests.append(running.copy().digest())
    return digests
