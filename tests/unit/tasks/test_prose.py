import re
import threading
from hashlib import blake2b

import pytest

from tasks.flenqa.words import words as flenqa_words
from tasks.niah.cities import CITIES
from tasks.prose import Prose
from tasks.tokens import exact_counter

PINNED = "1efb8c44501a266b"
MILLION = 5_300_000
"""Characters that are a little more than a million tokens."""


@pytest.fixture(scope="module")
def million() -> str:
    return Prose(1).text(MILLION)


def test_bytes_never_change() -> None:
    digest = blake2b(Prose(7).text(200_000).encode(), digest_size=8).hexdigest()
    assert digest == PINNED, "a change here changes prompts: raise the versions of their tasks"


def test_shorter_text_is_the_beginning_of_longer_text() -> None:
    prose = Prose(3)
    long = prose.text(30_000)
    assert 30_000 - 400 < len(long) <= 30_000
    for chars in (0, 10, 500, 7_777, 29_999):
        short = prose.text(chars)
        assert len(short) <= chars
        assert long.startswith(short)
        assert short == Prose(3).text(chars)
        assert not short or short.endswith(".")


def test_seeds_differ() -> None:
    assert Prose(0).text(2_000) != Prose(1).text(2_000)


def test_paragraphs_spell_the_text() -> None:
    prose = Prose(5)
    text = prose.text(4_000)
    paragraphs = prose.paragraphs()
    spelled = "\n\n".join(" ".join(next(paragraphs)) for _ in range(9))
    assert spelled.startswith(text)
    assert all(4 <= len(next(paragraphs)) <= 10 for _ in range(50))


def test_no_sentence_comes_twice_in_a_million_tokens(million: str) -> None:
    assert exact_counter("cl100k_base").count(million) > 1_000_000
    sentences = re.findall(r"[^\n.]+\.", million)
    stripped = [sentence.strip() for sentence in sentences]
    assert len(set(stripped)) == len(stripped)
    assert min(map(len, stripped)) > 30


def test_few_runs_of_twelve_words_come_twice(million: str) -> None:
    words = million.split()
    runs = [hash(tuple(words[at : at + 12])) for at in range(len(words) - 11)]
    assert 1 - len(set(runs)) / len(runs) < 0.04


def test_reads_like_sentences(million: str) -> None:
    sample = million[:200_000]
    assert re.search(r"\{|\}|  |\n\n\n|,,|\.\.| ,| \.", sample) is None
    for sentence in re.findall(r"(?:^|(?<=[.\n] )|(?<=\n))([^\n.]+)\.", sample):
        assert sentence.strip()[0].isupper(), sentence


def test_nothing_in_it_competes_with_a_needle(million: str) -> None:
    assert re.search(r"[\d$€%:]", million) is None
    found = set(re.findall(r"[A-Za-z]+", million))
    lists = flenqa_words()
    assert not found & set(CITIES)
    assert not found & {*lists.first, *lists.last}
    competing = "true false truth magic number salary dollar dollars earn earns earned half twice"
    competing += " two three four uuid key value unanswerable april june july august"
    competing += " kitchen bedroom attic cellar pantry"
    assert not {word.lower() for word in found} & set(competing.split())


def test_threads_see_one_text() -> None:
    prose = Prose(11)
    expected = Prose(11).text(60_000)
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.append(prose.text(60_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 4
