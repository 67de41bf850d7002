from runner.report.answers import Answers
from runner.report.figures import pictures
from tests.sql.sweeps import Maker


def layers(sizes):
    with Maker(("alpha", "beta")).needles(1, sizes).facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        return drawn.spec()["spec"]["layer"]


def test_a_single_size_has_whiskers_where_a_band_has_no_width():
    (whiskers,) = (layer for layer in layers((2000,)) if layer["mark"]["type"] == "rule")
    assert whiskers["encoding"]["y"]["field"] == "ci_low"
    assert whiskers["transform"][-1] == {"filter": "datum.sizes == 1"}


def test_the_chance_line_lies_over_the_curves_and_is_one_line():
    chance = [layer["encoding"]["y"].get("aggregate") == "mean" for layer in layers((2000, 4000))]
    assert chance.index(True) == len(chance) - 2
