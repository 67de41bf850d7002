"""Each published row becomes the samples it stands for; a wrong one is rejected with a reason."""

from typing import Any

import pytest

from tasks.official import flenqa_rows, needle_threading_rows, needlechain_rows
from tasks.official.entry import RowError
from tests.fakes.official_rows import (
    chain_row,
    conditional_row,
    flenqa_row,
    monorel_row,
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


def test_flenqa_rule_taker():
    parsed = flenqa_rows.parse(flenqa_row(), "")
    (entry,) = parsed.entries
    assert entry.task == "flenqa.ruletaker"
    assert entry.axes == {"size": 2000, "padding": "different", "placement": "random"}
    assert entry.rank == 42
    assert entry.inputs["label"] is True
    assert entry.inputs["rule"].startswith("If X")
    assert entry.inputs["key_sentences"] == ["Dave is small.", "Dave is good."]
    assert not parsed.disagreements


def test_flenqa_facts_are_paragraphs_and_their_first_sentences_the_keys():
    (entry,) = flenqa_rows.parse(monorel_row(label=False), "").entries
    assert entry.task == "flenqa.monorel"
    assert entry.inputs["label"] is False
    assert entry.inputs["facts"][0].endswith("By years.")
    assert entry.inputs["key_sentences"] == [
        "Ann Lee is older than Bo Ray.",
        "Bo Ray is older than Cy Fox.",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": ["If X is good and X is small then X is loud."]},
        {"statement": "Dave is small. Dave is good."},
        {"label": True},
        {"label": "true"},
        {"ctx_size": "2000"},
    ],
)
def test_flenqa_fields_may_be_a_text_or_a_list(changes: dict[str, Any]):
    plain, changed = (flenqa_rows.parse(row, "") for row in (flenqa_row(), flenqa_row(**changes)))
    assert plain == changed


def test_flenqa_key_paragraphs_must_stand_in_the_mixin():
    parsed = flenqa_rows.parse(flenqa_row(mixin="Dave is good."), "")
    assert parsed.disagreements == ["the mixin lacks the key paragraph 'Dave is small.'"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dataset": "Other"}, "dataset = 'Other' is not one of MonoRel"),
        ({"label": "maybe"}, "label must be True or False, not 'maybe'"),
        ({"label": 1}, "label must be True or False"),
        ({"padding_type": "none"}, "padding_type = 'none' is not one of same, books"),
        ({"statement": []}, "statement must be a list of texts"),
        ({"statement": None}, "no field statement"),
        ({"rule": ["a", "b"]}, "one rule"),
        ({"mixin": " "}, "mixin must be a text"),
        ({"ctx_size": float("inf")}, "ctx_size must be a number"),
        ({"sample_id": 10**400}, "sample_id must be a number"),
    ],
)
def test_malformed_flenqa_rows(changes: dict[str, Any], reason: str):
    with pytest.raises(RowError, match=reason):
        flenqa_rows.parse(flenqa_row(**changes), "")


def test_a_chain_row_is_four_tellings():
    parsed = needlechain_rows.parse(chain_row(), "")
    assert [entry.task for entry in parsed.entries] == [
        f"needlechain.{chain}" for chain in ("forward", "backward", "mixed", "stack")
    ]
    assert all(entry.axes == {"k": 2, "val": 1600} for entry in parsed.entries)
    backward = parsed.entries[1].inputs
    assert backward["presented"] == [1, 0]
    assert (backward["single"], backward["total"]) == (3200.0, 4800.0)
    assert not parsed.disagreements


def test_rows_outside_the_bound_are_kept_and_whole_numbers_may_be_ints():
    lines = "Cairo received $1600 last week.\nRamon earns the same salary as Cairo."
    row = chain_row(forward_chain=lines, forward_single_val=1600, forward_total_val=3200)
    assert not needlechain_rows.parse(row, "").disagreements


def test_a_wrong_stored_value_is_a_disagreement():
    parsed = needlechain_rows.parse(chain_row(chaotic_total_val=4800.5), "")
    assert parsed.disagreements == ["chaotic_total_val is 4800.5, the facts give 4800.0"]
    assert len(parsed.entries) == 4


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"names": "Cairo"}, "tells of others than names"),
        ({"names": None}, "no field names"),
        ({"forward_chain": "Cairo is rich."}, "forward_chain: not a fact"),
        ({"parallel_chain": "Cairo received $5 last week."}, "parallel_chain: tells of others"),
        ({"backward_lastname": "Cairo"}, "not the last of names"),
        ({"chaotic_single_val": "many"}, "chaotic_single_val must be a number"),
        ({"chaotic_single_val": None}, "no field chaotic_single_val"),
    ],
)
def test_malformed_chain_rows(changes: dict[str, Any], reason: str):
    with pytest.raises(RowError, match=reason):
        needlechain_rows.parse(chain_row(**changes), "")
