import re

import pytest

import runner
from runner.errors import UsageError
from runner.report.notebook import open_results


def test_results_answer_in_a_notebook(file, tmp_path):
    with open_results(file) as results:
        assert results.sql("select count(*) from trial_results").fetchone() == (3,)
        assert results.accuracy().df()["accuracy"].tolist() == [pytest.approx(2 / 3)]
        assert "accuracy" in results.charts()
        bundle = results.chart("depth_heatmap")._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<svg")
        results.chart().save(tmp_path / "a.png")
        with pytest.raises(UsageError, match=r"\.png or \.svg"):
            results.chart().save(tmp_path / "a.gif")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_open_results_is_imported_from_the_package(file):
    with runner.open_results(file) as results:
        assert "accuracy" in repr(results)
    with pytest.raises(AttributeError, match="nothing"):
        _ = runner.nothing


def test_accuracy_and_charts_are_split_by_axes_and_narrowed(file):
    with open_results(file) as results:
        frame = results.accuracy(by="depth", where="depth < 60").df()
        assert set(frame["task"]) == {"needle_threading.single_needle"}
        assert frame["depth"].max() < 60
        title = results.chart(by=["depth"], where="depth < 60").to_dict()["title"]
        assert title["text"].endswith(", where depth < 60")
        assert re.search(r"n = \d", " ".join(title["subtitle"]))
        with pytest.raises(UsageError, match="--by colour: no such axis; there are depth, size"):
            results.accuracy(by="colour")
        with pytest.raises(UsageError, match="the axes depth, size"):
            results.chart(where="colour = 1")
