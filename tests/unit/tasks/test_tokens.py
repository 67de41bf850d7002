import base64
import gzip
import random
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import tiktoken

from tasks.plain_tokens import PATTERNS
from tasks.prose import Prose
from tasks.tokens import estimating_counter, exact_counter, tokenizer_of

FUZZ = 1_000
VOCABULARIES = ("cl100k_base", "o200k_base", "llama3", "qwen3")


@cache
def reference(name: str) -> tiktoken.Encoding:
    """tiktoken over the vocabulary file of another package."""
    package = find_spec("bpe_openai")  # importing it warns, and its data are all that is needed
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).parent / "data" / f"{name}.tiktoken.gz"
    lines = gzip.decompress(file.read_bytes()).splitlines()
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in map(bytes.split, lines)}
    return tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={})


def uuid_json(pairs: int) -> str:
    rng = random.Random(0)
    keys = (f"{rng.getrandbits(128):032x}" for _ in range(2 * pairs))
    spelled = [f"{k[:8]}-{k[8:12]}-{k[12:16]}-{k[16:20]}-{k[20:]}" for k in keys]
    pieces = (f'"{a}": "{b}"' for a, b in zip(spelled[::2], spelled[1::2], strict=True))
    return "{" + ", ".join(pieces) + "}"


def fuzz(seed: int) -> list[str]:
    """Short strings of letters, blanks, signs, and code points from everywhere."""
    rng = random.Random(seed)
    blocks = [(32, 127), (9, 14), (0xA0, 0x250), (0x400, 0x500), (0x3040, 0x3100)]
    blocks += [(0x4E00, 0x9FFF), (0x1F300, 0x1F6FF), (0x800, 0xD7FF), (0xE000, 0x33480)]
    weights = [30, 5, 5, 3, 3, 3, 3, 5, 5]
    texts: list[str] = []
    for _ in range(FUZZ):
        chosen = rng.choices(blocks, weights, k=rng.randrange(1, 30))
        texts.append("".join(chr(rng.randrange(*block)) for block in chosen))
    return texts


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_ids_are_those_of_tiktoken(name: str) -> None:
    counter = exact_counter(name)  # pyright: ignore[reportArgumentType]
    encoding = reference(name)
    texts = [*fuzz(1), uuid_json(300), Prose(2).text(60_000), "it's <|endoftext|> we'LL\r\n\n"]
    for text in texts:
        expected = encoding.encode(text, disallowed_special=())
        assert counter.encode(text).tolist() == expected, repr(text)
        assert counter.count(text) == len(expected), repr(text)
    assert counter.counts(texts).tolist() == [counter.count(text) for text in texts]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("letter", ["\u088f", "\u0c5c", "\ua7d2", "\U00018d09", "\U000323b0"])
def test_letters_newer_than_the_scanner(name: str, letter: str) -> None:
    counter = exact_counter(name)  # pyright: ignore[reportArgumentType]
    for text in (f"{letter}'s", f"!!{letter}'ll {letter}12", "é" * 300_000 + f"{letter}'s"):
        expected = reference(name).encode(text, disallowed_special=())
        assert counter.count(text) == len(expected)
        assert counter.counts([text, "a"]).tolist() == [len(expected), 1]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_special_tokens_are_plain_text(name: str) -> None:
    counter = exact_counter(name)  # pyright: ignore[reportArgumentType]
    for text in ("<|endoftext|>", "<|im_start|>", "<|begin_of_text|>"):
        assert counter.count(text) >= 5
        assert int(counter.ends(counter.encode(text))[-1]) == len(text)


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("char", ["a", " ", "7", "\n", "é", "水"])
def test_a_million_repeated_characters(name: str, char: str) -> None:
    counter = exact_counter(name)  # pyright: ignore[reportArgumentType]
    count = counter.count(char * 1_000_000)
    assert 0 < count <= 1_000_000 * len(char.encode())


@pytest.mark.parametrize("name", VOCABULARIES)
def test_ends_are_places_in_the_utf8(name: str) -> None:
    counter = exact_counter(name)  # pyright: ignore[reportArgumentType]
    text = "Grüße aus Köln 🙂 und 東京.\n\nZwei Sätze. " * 5
    ends = counter.ends(counter.encode(text))
    assert ends[-1] == len(text.encode())
    assert (np.diff(ends) > 0).all()


def test_published_counts_of_one_uuid_pair() -> None:
    one = '{"e3e70682-c209-4cac-629f-6fbed82c07cd": "f728b4fa-4248-5e3a-0a5d-2f346baa9455"}'
    assert len(one) == 80
    assert exact_counter("o200k_base").count(one) == 50
    assert exact_counter("cl100k_base").count(one) == 51
    assert exact_counter("llama3").count(one) == 51


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("openai/gpt-4.1-mini", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", "o200k_base"),
        ("gpt-5-nano", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
        ("meta-llama/Meta-Llama-3-70B", "llama3"),
        ("llama3.2:3b", "llama3"),
        ("Qwen/Qwen2.5-7B-Instruct-1M", "qwen3"),
        ("qwen3-235b-a22b", "qwen3"),
        ("qwen3.5-122b", None),
        ("llama-4-scout", None),
        ("claude-opus-4-5", None),
        ("gemini-2.5-pro", None),
        ("mistral-large-latest", None),
        ("gpt-40", None),
        ("o10", None),
        ("", None),
    ],
)
def test_tokenizer_of_model(model: str, vocabulary: str | None) -> None:
    known = tokenizer_of(model)
    assert known == vocabulary
    assert known is None or exact_counter(known).name == vocabulary


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gemini-2.5-flash", "mistral-large", "x"])
def test_estimates_are_ordered_and_bounded(model: str) -> None:
    text = uuid_json(25)
    counter = estimating_counter(model, "uuid")
    estimate = counter.estimate(len(text))
    assert 0 < estimate.low <= estimate.expected <= estimate.worst <= estimate.bound == len(text)
    assert counter.count(text) == estimate.expected
    assert counter.name.endswith("-uuid")


def test_measured_vocabularies_lie_in_the_estimated_range() -> None:
    texts = {"uuid": uuid_json(400), "prose": Prose(4).text(40_000)}
    for kind, text in texts.items():
        estimate = estimating_counter("unknown", kind).estimate(len(text))  # pyright: ignore
        for name in VOCABULARIES:
            count = exact_counter(name).count(text)  # pyright: ignore[reportArgumentType]
            assert estimate.low <= count <= estimate.worst, (kind, name, count / len(text))


def test_gemini_takes_75_tokens_for_a_pair() -> None:
    assert estimating_counter("gemini-1.5-pro", "uuid").estimate(80).expected == 76


def test_bytes_and_not_characters_are_what_bounds() -> None:
    assert estimating_counter("claude-3", "prose").estimate(len("水" * 100)).bound == 100
    assert estimating_counter("claude-3", "prose").count("水" * 100) == 72


def test_one_counter_serves_many_threads() -> None:
    text = Prose(6).text(20_000)
    counter = exact_counter("o200k_base")
    expected = counter.count(text)
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(counter.count(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 4
