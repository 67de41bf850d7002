"""The house as CONTRIBUTING draws it: what its rooms are and may import."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
PACKAGES: list[str] = SETTINGS["root_packages"]
LAYERS: dict[str, list[list[str]]] = {
    contract.get("containers", [""])[0]: [
        [name.strip() for name in layer.split("|")] for layer in contract["layers"]
    ]
    for contract in SETTINGS["contracts"]
    if "layers" in contract
}
"""The layers inside each folder, highest first, by its dotted name; those of the root under ""."""
ROW = re.compile(r"^\| `([\w/]+)` \| (.+) \| (.+) \|$", re.MULTILINE)
MOST_MODULES = 16
"""A folder with more is two rooms."""


def folders() -> Iterator[Path]:
    for package in PACKAGES:
        for init in sorted((ROOT / package).rglob("__init__.py")):
            yield init.parent.relative_to(ROOT)


def modules_in(folder: Path) -> list[Path]:
    return [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]


def may_import(folder: Path) -> str:
    """What the contract lets a folder import, of what stands beside it."""
    layers = LAYERS[".".join(folder.parent.parts)]
    place = next(number for number, layer in enumerate(layers) if folder.name in layer)
    below = layers[place + 1 :]
    if not below:
        return "nothing"
    names = ", ".join(f"`{name}`" for name in below[0])
    return f"{names} and below" if below[1:] else names


def test_the_table_of_rooms_is_the_house():
    rows = ROW.findall((ROOT / "CONTRIBUTING.md").read_text())
    told = {room: allowed for room, _, allowed in rows}
    assert len(told) == len(rows), "a room stands there once"
    assert told == {folder.as_posix(): may_import(folder) for folder in folders()}


def test_no_folder_holds_more_modules_than_one_can_look_over():
    assert {
        folder.as_posix(): len(modules_in(folder))
        for folder in folders()
        if len(modules_in(folder)) > MOST_MODULES
    } == {}


def test_where_to_start_reading_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(rf"`((?:{'|'.join(PACKAGES)}|tests)/[\w/]+\.\w+)`", text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
