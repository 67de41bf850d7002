"""Pictures as files: the specs of `figures`, drawn without a network or a browser."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import vl_convert

from runner.report.column import in_a_column, in_points
from runner.report.figures import Picture

SCALE = 3.0
"""Of a 96 dpi screen: about 290 dpi, what print asks for."""


def write_for_paper(pictures: Iterable[Picture], folder: Path) -> Iterator[Path]:
    """Draw each picture as SVG, PDF and PNG as wide as a paper's column, and say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        spec = in_a_column(picture.spec())
        svg = vl_convert.vegalite_to_svg(spec)
        drawn = (
            (".svg", svg.encode()),
            (".pdf", vl_convert.svg_to_pdf(in_points(svg))),
            (".png", vl_convert.vegalite_to_png(spec, scale=SCALE)),
        )
        for suffix, written in drawn:
            path = folder / f"{picture.name}{suffix}"
            path.write_bytes(written)
            yield path


def write_pngs(pictures: Iterable[Picture], folder: Path) -> Iterator[Path]:
    """Draw each picture into the folder, which is made if need be, and say where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        path = folder / f"{picture.name}.png"
        path.write_bytes(vl_convert.vegalite_to_png(picture.spec(), scale=SCALE))
        yield path
