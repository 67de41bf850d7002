import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.probe import listed_names


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"object": "list", "data": [{"id": "gpt-4o"}, {"id": "o3"}]}, {"gpt-4o", "o3"}),
        ({"data": [{"id": "claude-x", "type": "model"}], "has_more": False}, {"claude-x"}),
        ({"models": [{"name": "models/gemini-2.5-pro"}]}, {"gemini-2.5-pro"}),
        ({"data": []}, set()),
        ({"data": [1, {"id": 2}, {"id": "a"}]}, {"a"}),
    ],
)
def test_all_three_formats_of_a_list_are_read(body: object, names: set[str]) -> None:
    assert listed_names(json.dumps(body).encode()) == names


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"data": 3}', b"null", b'{"dat'])
def test_anything_else_is_no_list(body: bytes) -> None:
    assert listed_names(body) is None


@given(st.binary(max_size=60))
def test_no_body_makes_it_fail(body: bytes) -> None:
    assert listed_names(body) is None
