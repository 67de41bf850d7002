from collections import Counter

import orjson
import pytest
import vl_convert

from runner.report.answers import Answers
from runner.report.charts.matrices import MOST_LINES
from runner.report.figures import pictures
from tests.fakes.report_text import every_benchmark
from tests.sql.sweeps import Maker


def test_more_models_than_lines_have_a_row_each_and_their_pairs_a_cell_each():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).needles(1, (2000,)).facts.connect() as connection:
        specs = {picture.name: picture.spec() for picture in pictures(Answers(connection))}
    for name in ("accuracy", "refusals", "latency"):
        for layer in specs[name]["spec"]["layer"]:
            assert layer["encoding"]["y"]["field"] == "who"
    assert "chance" not in orjson.dumps(specs["accuracy"]["title"]).decode()
    cells = specs["compare"]["spec"]["layer"][0]["encoding"]
    assert (cells["y"]["field"], cells["x"]["field"]) == ("who_a", "who_b")
    for spec in specs.values():
        vl_convert.vegalite_to_vega(spec)


def test_of_many_models_errors_answers_and_lengths_are_cells():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with every_benchmark(names).connect() as connection:
        drawn = {picture.name: picture for picture in pictures(Answers(connection))}
    errors = drawn["chain_errors-needlechain.mixed"]
    assert {row["panel"].partition("\n")[0] for row in errors.rows} == {
        "calculation error",
        "instruction not followed",
        "needle omission",
    }
    answers = drawn["answers-flenqa.pir"]
    bars = {(row["who"], row["size"], row["asked"]) for row in answers.rows}
    parts = {row["answer"] for row in answers.rows}
    assert len(answers.rows) == len(bars) * len(parts)
    sums = Counter()
    for row in answers.rows:
        sums[row["who"], row["size"], row["asked"]] += row["share"]
    assert all(total == pytest.approx(1) for total in sums.values())
    lengths = drawn["effective_context-niah"].spec()
    assert [layer["mark"]["type"] for layer in lengths["layer"]] == ["rect", "text"]
    assert "≥" in drawn["effective_context-niah"].about
