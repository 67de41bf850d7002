import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.endpoints.probe import describes_model, listed_names, lists


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


@pytest.mark.parametrize(
    ("body", "known"),
    [
        (b'{"id": "gpt-4o", "object": "model"}', True),
        (b'{"name": "models/gemini-2.5-pro"}', True),
        (b'{"error": {"message": "no such model"}}', False),
        (b'{"data": [{"id": "gpt-4o"}]}', False),
        (b"<html>", False),
        (b'[{"id": "a"}]', False),
    ],
)
def test_a_page_about_one_model_is_told_from_anything_else(body: bytes, known: bool) -> None:
    assert describes_model(body) is known


def test_a_dated_name_stands_for_its_family_and_no_other() -> None:
    assert lists({"gpt-4o-2024-08-06"}, "gpt-4o")
    assert not lists({"gpt-4o"}, "gpt-4o-2024-08-06")
    assert not lists({"gpt-4.1"}, "gpt-4")
    assert not lists((), "gpt-4o")
