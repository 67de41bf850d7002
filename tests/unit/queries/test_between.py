"""What changed between two files, against differences that are computed here."""

from collections.abc import Mapping, Sequence

import duckdb
import pytest
from scipy.stats import binomtest

from queries.between import Between
from queries.catalog import install
from state.database.migrate import migrate
from tests.sql.facts import Facts

Answers = Mapping[str, Sequence[float | None]]
"""By model: the score of each prompt; None is no answer that counts."""


def held(answers: Answers) -> duckdb.DuckDBPyConnection:
    facts = Facts().sweep()
    for model, values in answers.items():
        cell = facts.cell("niah.magic_number", 1000, unit="tokens", model=model, depth=50)
        for repeat, value in enumerate(values):
            outcome = "answered" if value is not None else "refused"
            facts.trial(cell, value, outcome=outcome, repeat=repeat, prompt=f"p{repeat}")
    return facts.connect()


def between(*files: Answers, interval: str | None = None) -> Between:
    found = Between(interval)
    for answers in files:
        found.add(held(answers))
    return found


FIRST = [1.0, 1.0, 1.0, 0.0, 0.0, None, 1.0]
SECOND = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def test_equal_prompts_are_paired_and_the_change_is_second_minus_first() -> None:
    (row,) = between({"a": FIRST}, {"a": SECOND}).changes()
    pairs = [(x, y) for x, y in zip(FIRST, SECOND, strict=True) if x is not None]
    assert row["n_pairs"] == len(pairs)
    assert row["first_accuracy"] == pytest.approx(sum(x for x, _ in pairs) / len(pairs))
    assert row["change"] == pytest.approx(sum(y - x for x, y in pairs) / len(pairs))
    assert (row["better"], row["worse"]) == (1, 3)
    assert row["p_mcnemar"] == pytest.approx(binomtest(1, 4).pvalue)
    assert row["ci_low"] < row["change"] < row["ci_high"]


def test_flips_are_what_was_judged_otherwise_and_what_is_in_one_file_alone_answered() -> None:
    found = between({"a": FIRST}, {"a": SECOND}).flips()
    flips = [(row["first_value"], row["second_value"]) for row in found]
    assert sorted(flips, key=str) == sorted(
        [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (None, 1.0)], key=str
    )
    assert flips[0] == (1.0, 0.0)  # those that got worse come first


@pytest.mark.parametrize("interval", ["cluster", "wilson"])
def test_no_change_has_an_interval_with_a_width(interval: str) -> None:
    (row,) = between({"a": [1.0, 1.0]}, {"a": [1.0, 1.0]}, interval=interval).changes()
    assert row["change"] == 0
    assert row["ci_low"] < 0 < row["ci_high"]


def test_models_of_one_file_are_not_paired_with_each_other_nor_with_other_models() -> None:
    found = between({"a": FIRST, "b": SECOND}, {"a": FIRST, "c": FIRST})
    assert [row["model"] for row in found.changes()] == ["a"]
    assert found.models(1) == ["a", "c"]
    assert found.flips() == []


def test_of_three_files_each_is_compared_with_the_first() -> None:
    rows = between({"a": FIRST}, {"a": SECOND}, {"a": FIRST}).changes()
    assert [(row["first"], row["second"]) for row in rows] == [(0, 1), (0, 2)]
    assert rows[1]["change"] == 0


def test_a_file_without_answers_changes_nothing() -> None:
    with duckdb.connect() as empty:
        migrate(empty)
        install(empty)
        found = Between()
        found.add(empty)
        found.add(empty)
        assert found.changes() == []
        assert found.models(0) == []
