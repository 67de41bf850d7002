"""Panels of a model stand beside each other, and pictures of many models still fit a page."""

import re

import pytest
import vl_convert

from runner.report.heatmaps import Heatmap


def rows(models: int, ways: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {"who": who, "panel": f"{who}\n{way}", "k": k, "position": place, "missing": 0.5}
        for who in (f"model-{index:02d}" for index in range(models))
        for way in ways
        for k in (5, 10, 20, 50)
        for place in range(1, k + 1)
    ]


@pytest.mark.parametrize(
    ("models", "ways", "beside"), [(1, 1, 1), (3, 1, 3), (3, 2, 4), (3, 4, 4), (20, 4, 8)]
)
def test_a_row_of_panels_holds_whole_models_and_the_picture_fits_a_page(models, ways, beside):
    heatmap = Heatmap(
        y="k",
        y_title="needles",
        x="position",
        x_title="position",
        panel="panel",
        value="missing",
        value_title="left out",
        numbers=False,
        counted=True,
    )
    spec = heatmap.chart(rows(models, tuple("abcd"[:ways]))).to_dict()
    assert spec["columns"] == beside
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', vl_convert.vegalite_to_svg(spec))
    assert size is not None
    assert max(map(float, size.groups())) < 1100
