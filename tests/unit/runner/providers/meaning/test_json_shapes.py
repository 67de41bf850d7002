from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.providers.meaning.json_shapes import (
    MAX_COUNT,
    as_count,
    as_dict,
    as_list,
    as_text,
    as_word,
    mended,
    objects_in,
    parse_json,
)


@given(st.binary())
def test_no_body_raises(body: bytes):
    parse_json(body)


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "a", [1], {"a": 1}])
def test_an_accessor_gives_the_wanted_type_or_an_empty_value(value: Any):
    assert as_dict(value) == (value if isinstance(value, dict) else {})
    assert as_list(value) == (value if isinstance(value, list) else [])
    assert as_text(value) == (value if isinstance(value, str) else "")


def test_a_code_is_a_word_also_as_a_number():
    assert [as_word(value) for value in (" Rate ", 429, True, None)] == ["rate", "429", "", ""]


def test_a_count_is_a_whole_number_that_can_be():
    assert [as_count(n) for n in (0, 7, -1, 1.0, True, MAX_COUNT + 1)] == [
        0,
        7,
        None,
        None,
        None,
        None,
    ]


def test_halves_of_characters_are_put_together():
    assert mended("a\ud83d\ude00") == "a\U0001f600"
    assert mended("a\ud83d") == "a\ufffd"


def test_objects_come_from_the_outer_to_the_inner():
    assert list(objects_in([{"a": {"b": 1}}])) == [{"a": {"b": 1}}, {"b": 1}]
