from typing import Any

import pytest

from tasks.official import flenqa_rows
from tasks.official.entry import RowError
from tests.fakes.official_rows import (
    flenqa_row,
    monorel_row,
)


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
