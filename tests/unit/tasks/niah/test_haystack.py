from tasks.niah.haystack import Haystacks, prose_text, repeated
from tests.unit.tasks.niah.contexts import COUNTER, MAGIC, magic


def test_haystack_of_one_repeat_is_shared_and_others_differ() -> None:
    parts = [MAGIC.generate(magic(40_000, depth), 6).prompt.messages[0].parts for depth in (90, 70)]
    assert parts[0][1] is parts[1][1]
    assert len(parts[0][1]) > 10_000
    other = MAGIC.generate(magic(40_000, 90), 7).prompt.messages[0].parts
    assert other[1].text != parts[0][1].text


def test_pieces_never_cut_a_character() -> None:
    haystacks = Haystacks(COUNTER, repeated("🙂水é. "))
    haystack = haystacks.get(0, 9000)
    whole = "".join(piece.text for piece in haystack.pieces(0, 9000))
    assert set(whole) == set("🙂水é. ")
    for at in (1, 2, 3, 5, 8191, 8192, 8193):
        pieces = [*haystack.pieces(0, at), *haystack.pieces(at, 9000)]
        assert "".join(piece.text for piece in pieces) == whole


def test_longer_haystacks_continue_shorter_ones() -> None:
    haystacks = Haystacks(COUNTER, prose_text)
    short, long = haystacks.get(1, 8000), haystacks.get(1, 9000)
    assert long is not short
    assert (short.ends[:8000] == long.ends[:8000]).all()
    assert haystacks.get(1, 100) is short


def test_long_words_make_as_many_tokens_as_asked() -> None:
    haystack = Haystacks(COUNTER, repeated("Internationalization understandably. ")).get(0, 5000)
    assert len(haystack.ends) >= 8192
    assert len(haystack.utf8) > 6 * 8192
