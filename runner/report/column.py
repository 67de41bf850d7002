"""The same pictures for a paper: as wide as one column, one panel below the other, type of 7 pt."""

import copy
import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, cast

import vl_convert

COLUMN_PX = 312
"""3.25 inches of 96 dots, a column of most two-column layouts."""
LEAST_TYPE_PX = 9.4
"""7.05 points."""
LEAST_PANEL_PX = 60
TITLE_CHARS = 36
ABOUT_CHARS = 54
_ROUNDS = 4

Spec = dict[str, Any]


def in_a_column(spec: Spec) -> Spec:
    """The spec with its panels in one column, as wide as the page's column allows."""
    made = _in_words(copy.deepcopy(spec))
    if "facet" in made:
        made["columns"] = 1
    if _fitted(made) > COLUMN_PX:  # a legend of long names takes more than the panels do
        for legend in _legends(made):
            if "columns" in legend:
                legend["columns"] = 1
        _fitted(made)
    return made


def _fitted(spec: Spec) -> float:
    """The width that is left when the panels have given what they can."""
    inner = spec.get("spec", spec)
    for _ in range(_ROUNDS):
        over = svg_width(vl_convert.vegalite_to_svg(spec)) - COLUMN_PX
        wanted = max(inner["width"] - over, LEAST_PANEL_PX)
        if abs(wanted - inner["width"]) < 1:
            break
        inner["width"] = wanted
    return svg_width(vl_convert.vegalite_to_svg(spec))


def _legends(spec: Spec) -> Iterator[dict[str, Any]]:
    for part in _parts(spec):
        if isinstance(part.get("legend"), dict):
            yield part["legend"]


def svg_width(svg: str) -> float:
    """Of a picture, in dots."""
    found = re.search(r'<svg[^>]*?\swidth="([\d.]+)"', svg)
    return float(found[1]) if found else 0.0


def in_points(svg: str) -> str:
    """The picture in the same size where dots are taken for points, as they are for a PDF."""

    def smaller(found: re.Match[str]) -> str:
        return f'{found[1]}{float(found[2]) * 72 / 96:g}"'

    head, mark, rest = svg.partition(">")
    return re.sub(r'(\s(?:width|height)=")([\d.]+)"', smaller, head) + mark + rest


def _in_words(spec: Spec) -> Spec:
    """Titles in shorter lines, legends in fewer columns, no type that is too small to read."""
    title = spec["title"]
    title["text"] = wrap(title["text"], TITLE_CHARS)
    title["subtitle"] = wrap(" ".join(title["subtitle"]), ABOUT_CHARS)
    spec["config"]["legend"]["columns"] = 2
    for part in _parts(spec):
        for name in ("fontSize", "labelFontSize"):
            if name in part:
                size = part[name]
                part[name] = max(size, LEAST_TYPE_PX) if isinstance(size, int | float) else 10
        if "labelLimit" in part:
            part["labelLimit"] = 120
    for legend in _legends(spec):
        _narrow(legend)
    return spec


def _narrow(legend: dict[str, Any]) -> None:
    """Below the panels, where it takes none of their width."""
    if "columns" in legend:
        legend["columns"] = 2
    if "gradientLength" in legend:
        legend.update(orient="bottom", direction="horizontal")


def _parts(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        part = cast("dict[str, Any]", node)
        yield part
        for name, value in part.items():
            if name != "data":
                yield from _parts(value)
    elif isinstance(node, list):
        for value in cast("list[Any]", node):
            yield from _parts(value)
