"""What providers' own prompt caches can be expected to take off a bill, as earlier bills tell."""

from dataclasses import dataclass

from runner.pricing import Rates

CACHED_FROM = 1024
"""Input tokens from which providers keep a prompt's beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """Parts of the input that were read from a cache and written to one; the rest was neither."""

    read: float = 0.0
    write: float = 0.0

    def rate(self, rates: Rates, shared: float) -> float:
        """Pico-dollars a token, if no more is read than `shared`: what was sent before."""
        read = min(self.read, shared)
        write = min(self.write, 1 - read)
        per_read = rates.input if rates.cache_read is None else rates.cache_read
        per_write = rates.input if rates.cache_write is None else rates.cache_write
        return read * per_read + write * per_write + (1 - read - write) * rates.input


NOTHING_CACHED = Cached()
