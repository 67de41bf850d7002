"""Large texts are shared, and the bound in bytes holds."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tasks.byte_cache import ByteCache


def test_least_recently_used_goes_first() -> None:
    cache = ByteCache[str, bytes](10, len)
    made: list[str] = []

    def get(key: str, size: int) -> bytes:
        def make() -> bytes:
            made.append(key)
            return bytes(size)

        return cache.get(key, make)

    get("a", 4)
    get("b", 4)
    get("a", 4)
    get("c", 4)  # over the bound: b has been idle longest
    get("a", 4)
    get("b", 4)
    assert made == ["a", "b", "c", "b"]
    assert (cache.held_bytes, len(cache)) == (8, 2)


def test_what_exceeds_the_bound_alone_is_given_and_not_kept() -> None:
    cache = ByteCache[str, bytes](10, len)
    cache.get("small", lambda: bytes(3))
    assert len(cache.get("huge", lambda: bytes(50))) == 50
    assert (cache.held_bytes, len(cache)) == (0, 0)


def test_threads_that_race_share_one_object() -> None:
    cache = ByteCache[str, list[int]](10, len)
    together = Barrier(4, timeout=30)

    def make() -> list[int]:
        together.wait()  # all four are making it at once
        return [1, 2, 3]

    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(lambda _: cache.get("key", make), range(4)))
    assert all(value is values[0] for value in values)
    assert cache.held_bytes == 3
