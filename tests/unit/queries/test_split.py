"""Each condition is a task of its own in every view, and what is wrong names the axes there are."""

import re

import pytest

from queries.catalog import QueryError, views
from queries.split import Split, axes_of, plain_task, split_views, unsplit
from runner.report.answers import Answers
from tests.sql.facts import Facts


def facts():
    made = Facts().sweep()
    for cot in (False, True):
        for padding in ("similar", "different"):
            cell = made.cell("flenqa.pir", 500, unit="tokens", cot=cot, padding=padding)
            for value in (1.0, float(cot), float(padding == "similar")):
                made.trial(cell, value, label="true")
    single = made.cell("needle_threading.single_needle", 2000, depth=50)
    made.trial(single, 1.0)
    return made


def accuracies(split):
    with facts().connect() as connection:
        rows = Answers(connection, split=split).rows("accuracy")
    return {row["task"]: (round(row["accuracy"], 3), row["n_answered"]) for row in rows}


def test_by_default_a_task_is_split_where_its_paper_splits_and_the_file_has_both():
    assert accuracies(Split()) == {
        "flenqa.pir (cot=false)": (0.5, 6),
        "flenqa.pir (cot=true)": (0.833, 6),
        "needle_threading.single_needle": (1.0, 1),
    }


def test_axes_that_are_asked_for_split_what_has_them_and_nothing_else_does():
    assert accuracies(Split.told("padding, cot", None)) == {
        "flenqa.pir (padding=different, cot=false)": (0.333, 3),
        "flenqa.pir (padding=similar, cot=false)": (0.667, 3),
        "flenqa.pir (padding=different, cot=true)": (0.667, 3),
        "flenqa.pir (padding=similar, cot=true)": (1.0, 3),
        "needle_threading.single_needle": (1.0, 1),
    }
    assert accuracies(Split.told("", None)) == {
        "flenqa.pir": (0.667, 12),
        "needle_threading.single_needle": (1.0, 1),
    }


def test_a_condition_narrows_every_view_but_money():
    split = Split.told("", "padding = 'similar' and cot  -- of these")
    with facts().connect() as connection:
        answers = Answers(connection, split=split)
        (row,) = answers.rows("accuracy")
        assert (row["accuracy"], row["n_answered"]) == (1.0, 3)
        assert sum(row["n"] for row in answers.rows("outcomes")) == 5
        assert sum(row["attempts"] for row in answers.rows("spend")) == 13


def test_conditions_take_the_types_of_the_axes():
    assert set(accuracies(Split.told("", "depth between 40 and 60"))) == {
        "needle_threading.single_needle"
    }


@pytest.mark.parametrize(
    ("by", "where", "words"),
    [
        ("paddling", None, "--by paddling: no such axis; there are cot, depth, padding, size"),
        (None, "padding = similar", "the axes cot, depth, padding, size"),
        (None, "padding = 'similr'", "holds for no cell; the axes are cot, depth, padding, size"),
        (None, "true); drop table cells; --", "the axes cot, depth, padding, size"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(by, where, words):
    with facts().connect() as connection:
        with pytest.raises(QueryError, match=re.escape(words)) as caught:
            split_views(connection, views(), Split.told(by, where))
        assert "\n" not in str(caught.value)
        assert axes_of(connection)["cot"].kind == "boolean"


def test_a_name_can_lose_its_condition_or_a_part_of_it():
    name = "flenqa.pir (padding=similar, cot=true)"
    assert plain_task(name) == "flenqa.pir"
    assert unsplit(name, ["cot"]) == "flenqa.pir (padding=similar)"
    assert unsplit(name, ["cot", "padding"]) == unsplit("flenqa.pir", ["cot"]) == "flenqa.pir"
