"""Values as SQL text, for the places that take no parameters."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import duckdb

_PLACE = re.compile(rb"\?|\$(\w+)")


def literal(value: Any) -> str:
    """The value as SQL. Raises TypeError for one of another kind than the tables hold."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int():
            return str(value)
        case float() if math.isfinite(value):
            # As text: a number with a point is a DECIMAL first, which may round the last digit.
            return f"'{value!r}'::DOUBLE"
        case str() if "\0" in value:
            raise TypeError("no SQL for a NUL character")
        case str() | Path():
            return "'" + str(value).replace("'", "''") + "'"
        case list() | tuple():
            return f"[{', '.join(map(literal, cast('Sequence[Any]', value)))}]"
        case _:
            raise TypeError(f"no SQL for a {type(value).__name__}")


def inlined(query: str, parameters: Sequence[Any] | Mapping[str, Any]) -> str:
    """The query with its parameters written out. Raises TypeError if one has no literal."""
    text = query.encode()
    pieces: list[bytes] = []
    end = taken = 0
    for place, _ in duckdb.tokenize(query):
        found = _PLACE.match(text, place)
        if found is None:
            continue
        key = found[1].decode() if found[1] else str(taken + 1)
        taken += not found[1]
        value = parameters[key] if isinstance(parameters, Mapping) else parameters[int(key) - 1]
        pieces += [text[end:place], literal(value).encode()]
        end = found.end()
    return b"".join([*pieces, text[end:]]).decode()
