"""Keeps large texts that several prompts share, up to a number of bytes chosen by the owner."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """Least recently used values, bounded by their size in bytes; safe to use from threads."""

    __slots__ = ("_held", "_lock", "_max_bytes", "_size_of", "_values")

    def __init__(self, max_bytes: int, size_of: Callable[[V], int]) -> None:
        self._max_bytes = max_bytes
        self._size_of = size_of
        self._held = 0
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value kept under `key`, made when there is none; all callers get the same object."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()  # outside the lock: one slow haystack must not stop the others
        with self._lock:
            value = self._values.setdefault(key, made)
            if value is made:
                self._held += self._size_of(value)
                self._evict(key)
            return value

    def _evict(self, newest: K) -> None:
        while self._held > self._max_bytes:
            key, value = self._values.popitem(last=False)
            self._held -= self._size_of(value)
            if key == newest:
                return

    @property
    def held_bytes(self) -> int:
        """Bytes of all values that are kept."""
        return self._held

    def __len__(self) -> int:
        return len(self._values)
