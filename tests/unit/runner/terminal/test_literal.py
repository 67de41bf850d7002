import io
import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.terminal.literal import take_any_text, visible, visible_word
from tests.fakes.hostile import HOSTILE, driving

ANY = st.text(st.characters(codec=None))


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_drives_a_terminal_is_left(text: str):
    assert driving(visible(text)) == set()
    assert "\n" not in visible_word(text)


@given(st.text())
def test_json_stays_the_same_json(text: str):
    shown = visible(orjson.dumps({"a": text}).decode())
    assert orjson.loads(shown) == {"a": text}


@given(ANY)
def test_what_is_visible_stays_so(text: str):
    assert visible(visible(text)) == visible(text)


def test_escapes_are_those_of_json():
    assert visible("a\x1b[2J\u202e\U000e0041\ud83d") == "a\\u001b[2J\\u202e\\udb40\\udc41\\ud83d"
    assert visible("a\tb\nc, é, 漢字 and \U0001f600") == "a\tb\nc, é, 漢字 and \U0001f600"
    assert visible_word("a\tb\nc") == "a\\tb\\nc"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@given(text=ANY)
def test_a_stream_of_any_encoding_takes_any_text(encoding: str, text: str):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    take_any_text(stream)
    stream.write(text)
    stream.flush()
    raw.getvalue().decode(encoding)


def test_json_in_another_encoding_is_the_same_json():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    take_any_text(stream)
    stream.write(orjson.dumps({"a": "é漢\U0001f600"}).decode())
    stream.flush()
    assert orjson.loads(raw.getvalue()) == {"a": "é漢\U0001f600"}


def test_a_stream_that_cannot_be_changed_is_left_as_it_is():
    take_any_text(io.StringIO())
    take_any_text(sys.stdout)
