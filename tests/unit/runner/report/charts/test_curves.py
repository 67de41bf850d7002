from runner.report.answers import Answers
from runner.report.figures import pictures
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker


def test_no_line_is_drawn_through_a_size_without_an_answer():
    facts = Facts().sweep()
    for size in (2000, 8000):
        facts.trial(facts.cell("needle_threading.single_needle", size, depth=0), 1.0)
    facts.trial(facts.cell("needle_threading.single_needle", 4000, depth=0), outcome="refused")
    with facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        marks = [layer["mark"] for layer in drawn.spec()["spec"]["layer"]]
    assert [row["accuracy"] for row in drawn.rows] == [1.0, None, 1.0]
    broken = [mark["type"] for mark in marks if mark.get("invalid", "").startswith("break-paths")]
    assert broken == ["area", "line"]


def layers(sizes):
    with Maker(("alpha", "beta")).needles(1, sizes).facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        return drawn.spec()["spec"]["layer"]


def test_a_single_size_has_whiskers_where_a_band_has_no_width():
    (whiskers,) = (layer for layer in layers((2000,)) if layer["mark"]["type"] == "rule")
    assert whiskers["encoding"]["y"]["field"] == "ci_low"
    assert whiskers["encoding"]["opacity"]["condition"] == {"test": "datum.sizes == 1", "value": 1}


def test_the_chance_line_lies_over_the_curves_and_is_one_line():
    chance = [layer["encoding"]["y"].get("aggregate") == "mean" for layer in layers((2000, 4000))]
    assert chance.index(True) == len(chance) - 2
