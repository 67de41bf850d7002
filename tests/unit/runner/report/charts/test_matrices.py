import orjson

from runner.report.answers import Answers
from runner.report.charts.matrices import MOST_LINES
from runner.report.figures import pictures
from tests.sql.sweeps import Maker


def test_of_many_models_chance_has_a_row_of_its_own():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).flenqa(2).facts.connect() as connection:
        (accuracy,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        layers = accuracy.spec()["spec"]["layer"]
    guessed = [layer for layer in layers if "(chance)" in orjson.dumps(layer).decode()]
    assert [layer["mark"]["type"] for layer in guessed] == ["rect", "text"]
