"""Rows are found in any document, and a broken one spoils only itself."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.official import json_rows
from tasks.official.json_rows import RawRow, read_document, read_lines


def document(text: str | bytes) -> list[RawRow]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read_document(io.BytesIO(raw), "f"))


def lines(raw: bytes) -> list[RawRow]:
    return list(read_lines(io.BytesIO(raw), "f"))


ROWS = st.lists(
    st.dictionaries(
        st.text(), st.text() | st.integers(-(2**60), 2**60) | st.lists(st.text()) | st.none()
    ),
    max_size=6,
)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_rows, "CHUNK_BYTES", 7)


@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_way_to_write_an_array_gives_its_rows(
    rows: list[dict[str, Any]], indent: int | None, ascii_only: bool
):
    text = json.dumps(rows, indent=indent, ensure_ascii=ascii_only)
    assert [row.value for row in document(text)] == rows


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_splits_are_named_by_the_document(rows: list[dict[str, Any]]):
    found = document(json.dumps({"Single_Needle": rows, "n": 3, "other": rows}))
    assert [row.value for row in found] == rows + rows
    assert {row.split for row in found[: len(rows)]} <= {"Single_Needle"}
    assert {row.split for row in found[len(rows) :]} <= {"other"}


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_one_row_a_line(rows: list[dict[str, Any]]):
    raw = "\n\n".join(json.dumps(row) for row in rows).encode()
    assert [row.value for row in lines(raw)] == rows


BROKEN = [
    '{"a": tru}',
    '{"a": "x}',
    '{"a": "x',
    '{"a": [1, 2}',
    '{"a": 1',
    '{"a": {"b": 1}',
    '{"a": "\\',
    '{"a" 1}',
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_row_of_an_array_spoils_only_itself(broken: str):
    found = document(f'[\n{{"n": 1}},\n{broken},\n{{"n": 2}}\n]\n')
    assert [row.value for row in found if row.value and "n" in row.value] == [{"n": 1}, {"n": 2}]
    problems = [row for row in found if row.problem]
    assert problems[0].place == "f line 3"


@pytest.mark.parametrize("broken", [*BROKEN, "7", "[1]", "\ufeff", '{"a": 1e999999}x'])
def test_a_broken_line_spoils_only_itself(broken: str):
    found = lines(f'{{"n": 1}}\n{broken}\n{{"n": 2}}'.encode())
    assert [row.value for row in found] == [{"n": 1}, None, {"n": 2}]
    assert found[1].place == "f line 2"
    assert found[1].problem


def test_what_stands_between_rows_is_one_problem():
    found = document('[1, "two", null, {"n": 1}, nonsense more, {"n": 2}]')
    assert [bool(row.value) for row in found] == [False, True, False, True]


def test_pythons_nan_is_a_missing_value_and_half_a_surrogate_no_text():
    found = lines(b'{"rule": NaN}\n{"rule": "\\ud800"}')
    assert found[0].value == {"rule": None}
    assert found[1].problem


def test_a_mark_at_the_start_of_the_file_is_no_part_of_its_first_row():
    assert lines(b'\xef\xbb\xbf{"n": 1}')[0].value == {"n": 1}
    assert document(b'\xef\xbb\xbf[{"n": 1}]')[0].value == {"n": 1}


def test_rows_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_rows, "MAX_ROW_BYTES", 50)
    found = document('[{"n": 1}, {"a": "' + "x" * 500 + '"}, {"n": 2}]')
    assert found[0].value == {"n": 1}
    assert "the rest is not read" in found[-1].problem
    found = lines(b'{"a": "' + b"x" * 500 + b'"}\n{"n": 2}\n')
    assert [row.value for row in found] == [None, {"n": 2}]


@given(st.binary(max_size=300))
def test_any_bytes_end_in_rows_or_problems(raw: bytes):
    for row in document(raw) + document(b"[" + raw) + lines(raw):
        assert (row.value is None) == bool(row.problem)
