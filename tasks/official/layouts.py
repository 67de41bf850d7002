"""Rows of a JSON document that holds them as columns, or under numbers, as pandas writes it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import orjson

from tasks.official.json_rows import RawRow

_LOOKS_SO = re.compile(
    rb"""\s*\{\s*(?:
        "[^"]*"\s*:\s*\{                           # columns, or rows, by number
      | "[^"]*"\s*:\s*\[\s*(?:"|[-\d]|true|false|null)  # columns as lists, or split
      | "(?:schema|features)"\s*:                  # a table with its schema, a viewer's page
    )""",
    re.VERBOSE,
)


def is_table(start: bytes) -> bool:
    """Whether a document that begins so must be read as a whole to find its rows."""
    return _LOOKS_SO.match(start) is not None


def read_table(data: bytes, name: str) -> list[RawRow]:
    """All rows of such a document; none where it is no JSON, or no table after all."""
    try:
        document: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        return []
    return [
        RawRow(place=f"{name} row {number}", split=split, value=row)
        for number, (split, row) in enumerate(_rows(document, ""), 1)
    ]


def _rows(document: Mapping[str, Any], split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    named = _named_parts(document)
    if named is not None:
        for row in named:
            yield split, row
        return
    for key, value in document.items():
        if _is_list_of_rows(value):
            for row in value:
                yield key, row
        elif isinstance(value, dict):
            yield from _rows(cast("Mapping[str, Any]", value), key)


def _named_parts(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows where the document as a whole is a table."""
    values = list(document.values())
    columns, data = document.get("columns"), document.get("data")
    if isinstance(columns, list) and isinstance(data, list):
        names, rows = cast("list[str]", columns), cast("list[list[Any]]", data)
        return [dict(zip(names, row, strict=False)) for row in rows]
    if "schema" in document and _is_list_of_rows(data):
        return cast("list[dict[str, Any]]", data)
    if "features" in document and _is_list_of_rows(document.get("rows")):
        return [page["row"] for page in document["rows"] if isinstance(page.get("row"), dict)]
    if values and all(isinstance(value, dict) for value in values):
        return _numbered(cast("Mapping[str, Mapping[str, Any]]", document))
    if len(values) > 1 and all(isinstance(value, list) for value in values):
        return _listed(cast("Mapping[str, list[Any]]", document))
    return None


def _numbered(document: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]] | None:
    """Rows by number, or columns whose cells are by number."""
    if all(key.isdigit() for key in document):
        return [dict(row) for row in document.values()]
    numbers = list(next(iter(document.values())))
    if not all(number.isdigit() for column in document.values() for number in column):
        return None
    return [{name: column.get(number) for name, column in document.items()} for number in numbers]


def _listed(document: Mapping[str, list[Any]]) -> list[dict[str, Any]] | None:
    columns = list(document.values())
    if len({len(column) for column in columns}) > 1 or any(map(_is_list_of_rows, columns)):
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]


def _is_list_of_rows(value: Any) -> bool:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) for item in items)
