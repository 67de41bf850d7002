import re

import orjson
import pytest
import vl_convert

from queries.split import Split
from runner.report.answers import Answers
from runner.report.charts.matrices import MOST_LINES
from runner.report.figures import FIGURES, PANELS_ON_A_PAGE, pictures
from tests.fakes.report_text import every_benchmark
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker


def test_every_figure_is_drawn_from_the_file(maker):
    with maker.facts.connect() as connection:
        drawn = list(pictures(Answers(connection)))
    assert {picture.figure.name for picture in drawn} == {figure.name for figure in FIGURES}
    for picture in drawn:
        vl_convert.vegalite_to_vega(picture.chart().to_dict())


def test_the_chance_level_is_drawn(maker):
    with maker.facts.connect() as connection:
        drawn = pictures(Answers(connection, split=Split(by=())), paged=False)
        (accuracy,) = (it for it in drawn if it.name == "accuracy")
        right_answers = [
            label if value == 1 else {"true": "false", "false": "true"}[label]
            for label, value in connection.execute(
                "select label, value from trial_results where task = 'flenqa.monorel'"
                " and size = 250 and label in ('true', 'false') and model = "
                "(select min(model) from trial_results where task = 'flenqa.monorel')"
            ).fetchall()
        ]
    chances = {row["task"]: row["chance"] for row in accuracy.rows if row["size"] in {2000, 250}}
    assert chances["needle_threading.single_needle"] == pytest.approx(1 / 25)
    commonest = max(map(right_answers.count, ("true", "false"))) / len(right_answers)
    assert chances["flenqa.monorel"] == pytest.approx(commonest)
    assert "chance" in orjson.dumps(accuracy.chart().to_dict()["spec"]).decode()


@pytest.mark.parametrize("models", [1, MOST_LINES])
def test_models_of_one_picture_can_be_told_apart(models):
    names = tuple(f"model-{index:02d}" for index in range(models))
    with Maker(names).needles(1, (2000,)).facts.connect() as connection:
        drawn = list(pictures(Answers(connection)))
        specs = {picture.name: picture.spec() for picture in drawn}
    layers = specs["accuracy"]["spec"]["layer"]
    (points,) = (layer for layer in layers if "shape" in layer["encoding"])
    looks = [points["encoding"][key]["scale"]["range"] for key in ("color", "shape")]
    assert len(set(zip(*looks, strict=True))) == models
    assert ("compare" in specs) == (models > 1)
    for spec in specs.values():
        vl_convert.vegalite_to_vega(spec)


def test_planned_cells_without_answers_stay_in_the_heatmap_as_empty():
    facts = Facts().sweep()
    facts.trial(facts.cell("needle_threading.single_needle", 2000, depth=0), 1.0)
    facts.trial(facts.cell("needle_threading.single_needle", 4000, depth=0), outcome="refused")
    with facts.connect() as connection:
        (heat,) = (it for it in pictures(Answers(connection)) if it.name.startswith("depth"))
        spec = heat.spec()
    assert [row["accuracy"] for row in heat.rows] == [1.0, None]
    filters = [layer.get("transform") for layer in spec["spec"]["layer"]]
    assert filters[0] is None
    assert filters[1] == [{"filter": "isValid(datum.accuracy)"}]


def test_a_picture_of_too_many_panels_for_a_page_is_one_for_each_benchmark():
    facts = every_benchmark()
    with facts.connect() as connection:
        paged = {picture.name: picture for picture in pictures(Answers(connection))}
        whole = list(pictures(Answers(connection), paged=False))
    parts = {name for name in paged if name.startswith("effective_context-")}
    benchmarks = ("flenqa", "needle_threading", "needlechain", "niah")
    assert parts == {f"effective_context-{benchmark}" for benchmark in benchmarks}
    for name in parts:
        assert len({row["panel"] for row in paged[name].rows}) <= PANELS_ON_A_PAGE
        assert {row["task"].partition(".")[0] for row in paged[name].rows} == {
            name.partition("-")[2]
        }
    (all_of_it,) = (picture for picture in whole if picture.name == "effective_context")
    assert sum(len(paged[name].rows) for name in parts) == len(all_of_it.rows)


def test_of_many_models_fewer_panels_fit_a_page():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).flenqa(2).chains(1).facts.connect() as connection:
        drawn = {picture.name for picture in pictures(Answers(connection))}
    for name in ("accuracy", "latency", "outcomes", "compare"):
        assert {f"{name}-flenqa", f"{name}-needlechain"} <= drawn


def test_of_many_tasks_the_cost_of_a_benchmark_has_one_colour():
    with every_benchmark().connect() as connection:
        (many,) = (it for it in pictures(Answers(connection)) if it.name == "cost")
    assert {row["part"] for row in many.rows} == {
        "flenqa",
        "needle_threading",
        "needlechain",
        "niah",
    }
    with Maker(("alpha",)).chains(1).facts.connect() as connection:
        (few,) = (it for it in pictures(Answers(connection)) if it.name == "cost")
    assert {row["part"] for row in few.rows} == {
        "needlechain.backward",
        "needlechain.forward",
        "needlechain.mixed",
    }


def test_each_panel_has_ticks_where_it_was_swept():
    facts = Facts().sweep()
    swept = {"flenqa.monorel": (250, 500), "niah.magic_number": (150, 300, 600)}
    for task, sizes in swept.items():
        for size in sizes:
            facts.trial(facts.cell(task, size, unit="tokens", depth=50), 1.0)
    with facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
    labels = sorted(re.findall(r">(\d+)</text>", vl_convert.vegalite_to_svg(drawn.spec())), key=int)
    assert labels == ["150", "250", "300", "500", "600"]
