"""The haystack equals the published one, and stays 80 characters a pair."""

import json
import random
import uuid

import orjson
import pytest
import quicktok
from hypothesis import example, given
from hypothesis import strategies as st

from tasks.needle_threading.pairs import (
    _MANY_BYTES,
    PAIR_CHARS,
    _check_distinct,
    _random_bytes,
    build,
)
from tasks.sample import TaskError


def published_way(seed: int, pairs: int) -> str:
    rng = random.Random(seed)

    def draw() -> str:
        return str(uuid.UUID(int=rng.getrandbits(128)))

    drawn = [(draw(), draw()) for _ in range(pairs)]
    return json.dumps(dict(drawn))


@given(seed=st.integers(0, 2**130), fours=st.sampled_from([1, 1000, _MANY_BYTES // 4, 100_000]))
@example(seed=2**32 - 1, fours=_MANY_BYTES // 4)
@example(seed=2**32, fours=_MANY_BYTES // 4)
def test_raw_bytes_are_those_of_the_standard_library(seed: int, fours: int) -> None:
    assert _random_bytes(seed, 4 * fours) == random.Random(seed).randbytes(4 * fours)


def test_uuids_that_begin_alike_are_still_different() -> None:
    _check_distinct(b"".join(b"same" + bytes([n]) * 12 for n in range(9)), 0)
    _check_distinct(b"".join(b"the same" + bytes([n]) * 8 for n in range(9)), 0)


def test_published_row() -> None:
    haystack = build(0, 25)
    assert len(haystack.text) == 2000
    assert haystack.key(0) == "e3e70682-c209-4cac-629f-6fbed82c07cd"
    assert haystack.value(0) == "f728b4fa-4248-5e3a-0a5d-2f346baa9455"
    assert haystack.value(24) == "964a870c-7c87-9b74-1d87-8f9f9cdf5a86"
    assert haystack.key(12) == "247a8333-f7b0-b7d2-cda8-056c3d15eef7"
    assert haystack.value(12) == "1759edc3-72ae-2244-8b01-63c1cd9d2b7d"


@pytest.mark.parametrize("seed", [0, 1, 4, 2**32 + 3])
@pytest.mark.parametrize("pairs", [1, 2, 25, 400, 1000])
def test_equal_to_the_published_way(seed: int, pairs: int) -> None:
    haystack = build(seed, pairs)
    assert haystack.text.text == published_way(seed, pairs)
    assert haystack.text.json == orjson.dumps(haystack.text.text)[1:-1]
    assert len(haystack.text) == PAIR_CHARS * pairs


@pytest.mark.parametrize(
    ("encoding", "counts"),
    [
        ("o200k_base", {1: 50, 25: 1235, 400: 19748}),
        ("cl100k_base", {1: 51, 25: 1238, 400: 19760}),
        ("llama3", {1: 51, 25: 1238, 400: 19758, 2500: 122837}),
    ],
)
def test_published_token_counts(encoding: str, counts: dict[int, int]) -> None:
    # The fourth published vocabulary, claude2, is in no library that works offline.
    tokenizer = quicktok.get_encoding(encoding)
    assert {pairs: tokenizer.count(build(0, pairs).text.text) for pairs in counts} == counts


@pytest.mark.parametrize(
    ("encoding", "per_pair"), [("o200k_base", 49.08), ("cl100k_base", 49.14), ("llama3", 49.13)]
)
def test_published_tokens_per_pair_of_a_long_haystack(encoding: str, per_pair: float) -> None:
    count = quicktok.get_encoding(encoding).count(build(0, 1000).text.text)
    assert count / 1000 == pytest.approx(per_pair, abs=0.005)


def test_smaller_haystacks_are_prefixes() -> None:
    small, large = build(3, 25).text.text, build(3, 50).text.text
    assert large.startswith(small[:-1])


def test_rewriting_keys_leaves_all_else() -> None:
    haystack = build(0, 5)
    text = haystack.with_keys({1: haystack.value(3), 4: haystack.value(3)})
    pairs = json.loads(text.text, object_pairs_hook=list)
    assert [value for _, value in pairs] == [haystack.value(index) for index in range(5)]
    assert [key for key, _ in pairs] == [
        haystack.key(0),
        haystack.value(3),
        haystack.key(2),
        haystack.key(3),
        haystack.value(3),
    ]
    assert text.json == orjson.dumps(text.text)[1:-1]
    assert haystack.text.text == published_way(0, 5)


def test_a_uuid_drawn_twice_is_refused() -> None:
    _check_distinct(bytes(8) + b"a" * 8 + bytes(8) + b"b" * 8, 0)  # halves alike, UUIDs not
    with pytest.raises(TaskError, match="seed 7 draws one UUID twice"):
        _check_distinct(bytes(32), 7)
