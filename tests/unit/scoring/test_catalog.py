import pytest

from scoring.catalog import SCORERS, scorer_for


def test_a_task_is_scored_by_its_family():
    assert scorer_for("flenqa.pir") is SCORERS["flenqa"]
    with pytest.raises(KeyError, match="elsewhere"):
        scorer_for("elsewhere.task")


def test_no_two_scorers_store_under_one_name():
    assert len({scorer.name for scorer in SCORERS.values()}) == len(SCORERS)
