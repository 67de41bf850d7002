"""Panels of a model stand beside each other, and pictures of many models still fit a page."""

import re
from typing import cast

import pytest
import vl_convert

from runner.report.answers import Answers, Row
from runner.report.figures import FIGURES, pictures
from runner.report.panels import panels
from tests.sql.facts import Facts

(POSITIONS,) = (figure for figure in FIGURES if figure.name == "chain_positions")


def panelled(models: int, ways: str) -> list[Row]:
    rows = [
        {"who": who, "way": way, "k": k, "position": place, "missing": 0.5}
        for who in (f"somewhere/a-model-of-{index:02d}-words [a1]" for index in range(models))
        for way in ways
        for k in (5, 10, 20, 50)
        for place in range(1, k + 1)
    ]
    return list(panels("who", "way")(cast("Answers", None), rows))


@pytest.mark.parametrize(
    ("models", "ways", "beside"),
    [(1, "a", 1), (3, "a", 3), (3, "ab", 4), (3, "abcd", 4), (20, "abcd", 8)],
)
def test_a_row_of_panels_holds_whole_models_and_the_picture_fits_a_page(models, ways, beside):
    spec = POSITIONS.draw(panelled(models, ways)).to_dict()
    assert spec["columns"] == beside
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', vl_convert.vegalite_to_svg(spec))
    assert size is not None
    assert max(map(float, size.groups())) < 1200


def test_a_long_name_above_a_panel_is_in_lines():
    (panel,) = {row["panel"] for row in panelled(1, "a")}
    assert panel == "somewhere/a-model-\nof-00-words [a1]\na"


def test_panels_stand_in_the_order_of_the_paper():
    facts = Facts().sweep()
    for direction in ("backward", "random", "forward"):
        cell = facts.cell("needle_threading.threading", 2000, thread_length=2, direction=direction)
        facts.trial(cell, 1.0)
    with facts.connect() as connection:
        drawn = {it.figure.name: it.spec() for it in pictures(Answers(connection))}
    order = drawn["steps_heatmap"]["facet"]["sort"]
    assert [panel.partition("\n")[2] for panel in order] == ["forward", "backward", "random"]


def test_no_axis_stands_under_a_panel_that_is_not_there():
    facts = Facts().sweep()
    for model in "abcde":
        facts.trial(facts.cell("niah.magic_number", 1000, model=model, depth=0), 1.0)
    with facts.connect() as connection:
        drawn = {it.figure.name: it.spec() for it in pictures(Answers(connection))}
    heat = drawn["depth_heatmap"]
    assert len(heat["facet"]["sort"]) % heat["columns"]
    assert heat["resolve"]["axis"]["x"] == "independent"
