"""Names, relations, rooms, attributes and ways to say a thing again (`data/flenqa.toml`)."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """All lists; the groups of properties and attributes hold what excludes each other."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]
    """What is compared, and the comparative."""
    rooms: tuple[str, ...]
    properties: tuple[tuple[str, ...], ...]
    attributes: tuple[tuple[str, ...], ...]
    compared: tuple[str, ...]
    """Restatements of a comparison, of a person's room, of a room's property, of an attribute."""
    located: tuple[str, ...]
    furnished: tuple[str, ...]
    described: tuple[str, ...]


@cache
def words() -> Words:
    """The packaged lists."""
    file = resources.files("tasks").joinpath("data", "flenqa.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    monorel, pir, ruletaker = tables["monorel"], tables["pir"], tables["ruletaker"]
    pairs = (relation.partition("=") for relation in _entries(monorel["relations"]))
    return Words(
        first=_entries(tables["first"]),
        last=_entries(tables["last"]),
        relations=tuple((measure, comparative) for measure, _, comparative in pairs),
        rooms=_entries(pir["rooms"]),
        properties=_groups(pir["properties"]),
        attributes=_groups(ruletaker["attributes"]),
        compared=_lines(monorel["restatements"]),
        located=_lines(pir["person"]),
        furnished=_lines(pir["room"]),
        described=_lines(ruletaker["restatements"]),
    )


def _entries(text: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in text.split(";"))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(_entries(line) for line in _lines(text))
