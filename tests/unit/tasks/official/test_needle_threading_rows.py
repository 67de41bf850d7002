from typing import Any

import pytest

from tasks.official import needle_threading_rows
from tasks.official.entry import RowError
from tests.fakes.official_rows import (
    conditional_row,
    multi_row,
    needle_row,
    thread_row,
)


def test_the_data_cards_row_is_the_golden_one():
    parsed = needle_threading_rows.parse(needle_row(), "")
    (entry,) = parsed.entries
    assert entry.task == "needle_threading.single_needle"
    assert entry.axes == {"size": 2000, "depth": 50}
    assert entry.inputs["keys"] == ["247a8333-f7b0-b7d2-cda8-056c3d15eef7"]
    assert entry.inputs["values"] == ["1759edc3-72ae-2244-8b01-63c1cd9d2b7d"]
    assert len(entry.text) == 2000
    assert not parsed.disagreements


@pytest.mark.parametrize(
    ("row", "task", "axes"),
    [
        (multi_row(), "multi_needle", {"size": 2000, "needles": 2, "placement": "random"}),
        (
            conditional_row(),
            "conditional_needle",
            {"size": 2000, "needles": 2, "placement": "random", "character": "*"},
        ),
        (thread_row(), "threading", {"size": 2000, "thread_length": 3, "direction": "forward"}),
        (
            thread_row(3),
            "multi_threading",
            {"size": 2000, "thread_length": 3, "direction": "all_random", "threads": 3},
        ),
    ],
)
def test_needle_threading_tasks_by_what_the_row_holds(
    row: dict[str, Any], task: str, axes: dict[str, Any]
):
    parsed = needle_threading_rows.parse(row, "rows.json line 1")
    assert parsed.entries[0].task == f"needle_threading.{task}"
    assert parsed.entries[0].axes == axes
    assert not parsed.disagreements


@pytest.mark.parametrize(
    ("label", "task"),
    [
        ("Multiple_Needles.json line 1", "multi_needle"),
        ("Multi_Needle row 1", "multi_needle"),
        ("Conditional_Needles", "conditional_needle"),
        ("Conditional_Needle", "conditional_needle"),
        ("Single_Needle", "single_needle"),
        ("data/Single_Threads-00000-of-00001.parquet row 3", "threading"),
        ("Single_Thread", "threading"),
        ("Multi_Threads", "multi_threading"),
        ("Multi_Thread", "multi_threading"),
    ],
)
def test_current_and_stale_split_names(label: str, task: str):
    row = conditional_row(thread_direction="forward", num_threads=1, needle_depth="50")
    assert needle_threading_rows.parse(row, label).entries[0].task == f"needle_threading.{task}"


@pytest.mark.parametrize(
    ("row", "doubt"),
    [
        (needle_row(values="0" * 36), "values are 000"),
        (needle_row(keys="0" * 36), "the haystack gives None"),
        (needle_row(context_length=2080), "context_length is 2080, the haystack has 2000"),
        (thread_row(values="0" * 36), "values are"),
        (thread_row(haystack='{"a": "b", "b": "a"}', keys="a", context_length=20), "gives None"),
        (conditional_row(conditional_character="#"), "values are"),
    ],
)
def test_needle_threading_rows_that_a_solver_doubts_are_kept(row: dict[str, Any], doubt: str):
    parsed = needle_threading_rows.parse(row, "")
    assert len(parsed.entries) == 1
    assert doubt in parsed.disagreements[0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (needle_row(haystack="{"), "haystack is not JSON"),
        (needle_row(haystack="[1]"), "not a JSON object of pairs"),
        (needle_row(haystack='{"a": 1}'), "no texts"),
        (needle_row(haystack=None), "no field haystack"),
        (needle_row(needle_depth="N/A"), "needle_depth must be a number, not 'N/A'"),
        (needle_row(context_length=True), "context_length must be a number"),
        (needle_row(repeat_number=0.5), "repeat_number must be whole"),
        (multi_row() | {"keys": "[1, 2"}, "keys is not a list"),
        (multi_row() | {"keys": "[1, 2]"}, "keys must be a list of texts"),
        (multi_row() | {"keys": "[" * 200_000}, "longer than any list"),
        (multi_row() | {"keys": "[" * 5000}, "keys is not a list"),
        (multi_row() | {"keys": "[__import__('os').abort()]"}, "keys is not a list"),
        (multi_row() | {"values": 5}, "values must be a list of texts"),
    ],
)
def test_malformed_needle_threading_rows(row: dict[str, Any], reason: str):
    with pytest.raises(RowError, match=reason.replace("[", r"\[")):
        needle_threading_rows.parse(row, "")
