"""The plain part of a vocabulary counts as the whole one does, for any text."""

from pathlib import Path
from uuid import UUID

import pytest
import quicktok  # pyright: ignore[reportMissingTypeStubs]
from hypothesis import given
from hypothesis import strategies as st

from tasks import plain_tokens, tokens
from tasks.plain_tokens import PlainScanner, Scanner, plain_part
from tasks.prose import Prose

NAMES = ("cl100k_base", "o200k_base", "llama3", "qwen3")
PLAIN = st.text(st.characters(max_codepoint=127), max_size=300)
WORDS = st.lists(
    st.sampled_from(("the", " don't", " I'LL", "\r\n", "\n\n", "  ", "\t", " 12345", "()/", " _x"))
).map("".join)


def whole(name: str) -> Scanner:
    return quicktok.get_encoding(name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def plain(name: str) -> PlainScanner:
    part = plain_part(name)
    assert part is not None
    return PlainScanner(name, part, lambda: whole(name))


@pytest.fixture(scope="module", params=NAMES)
def both(request: pytest.FixtureRequest) -> tuple[PlainScanner, Scanner]:
    """The plain part and the whole, both set up before the first text comes."""
    return plain(request.param), whole(request.param)


def refuse() -> Scanner:
    raise AssertionError("the whole vocabulary was asked")


@given(text=PLAIN | WORDS)
def test_any_plain_text_is_scanned_as_by_the_whole_vocabulary(
    both: tuple[PlainScanner, Scanner], text: str
) -> None:
    ours, reference = both
    ids, ends = ours.encode_batch([text, "x", text], 1)
    expected, expected_ends = reference.encode_batch([text, "x", text], 1)
    assert ids.tolist() == expected.tolist()
    assert ends.tolist() == expected_ends.tolist()
    assert ours.count(text) == reference.count(text)


@given(text=st.text(max_size=60))
def test_other_text_goes_to_the_whole_vocabulary(
    both: tuple[PlainScanner, Scanner], text: str
) -> None:
    ours, reference = both
    assert ours.count(text) == reference.count(text)
    expected = reference.encode_batch([text], 1)[0]
    assert ours.encode_batch([text], 1)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_need_the_plain_part_only(name: str) -> None:
    part = plain_part(name)
    assert part is not None
    scanner = PlainScanner(name, part, refuse)
    uuids = ", ".join(f'"{UUID(int=(at * 0x9E3779B97F4A7C15) ** 2 % 2**128)}"' for at in range(500))
    for text in (Prose(7).text(100_000), uuids):
        assert scanner.count(text) == whole(name).count(text)


@pytest.mark.parametrize("name", NAMES)
def test_tokens_are_spelled_as_in_the_whole_vocabulary(name: str) -> None:
    part = plain_part(name)
    assert part is not None
    spell = whole(name).decode_single_token_bytes
    assert all(spell(rank) == token for token, rank in part.ranks.items())
    beyond = next(rank for rank in range(part.end) if not spell(rank).isascii())
    assert plain(name).decode_single_token_bytes(beyond) == spell(beyond)


@pytest.mark.parametrize("name", NAMES)
def test_no_plain_token_is_left_out(name: str) -> None:
    part = plain_part(name)
    assert part is not None
    known = set(part.ranks.values())
    spell = whole(name).decode_single_token_bytes
    for rank in set(range(part.end)) - known:
        try:
            assert not spell(rank).isascii()
        except KeyError:
            continue


@pytest.mark.parametrize("data", [None, b"", b"\x02\x00\x00\x00\x01\x00a\x00\x00\x00\x00", b"{}"])
def test_a_file_of_another_form_is_not_used(
    data: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    if data is not None:
        (tmp_path / "data" / "qwen3.vocab").write_bytes(data)
    monkeypatch.setattr(plain_tokens.quicktok, "__file__", str(tmp_path / "__init__.py"))
    assert plain_part("qwen3") is None


def test_a_vocabulary_in_use_is_at_hand() -> None:
    counter = tokens.exact_counter("cl100k_base")
    assert tokens.counter_at_hand("cl100k_base") is counter


def test_a_counter_at_hand_counts_newer_letters_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_whole", {})
    text = "plain, \U00016ea0 and 日本語"
    at_hand = tokens.counter_at_hand("o200k_base")
    counted = at_hand.count(text), at_hand.count("plain")
    exact = tokens.exact_counter("o200k_base")
    assert at_hand is not exact
    assert counted == (exact.count(text), exact.count("plain"))
