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
