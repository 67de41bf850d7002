"""Says in one line what is wrong with a config: the file, the key, and what is allowed."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 60
"""Characters of a wrong value that are repeated to its author."""

_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "path_type": "a path in quotes",
}


def key_path(location: Iterable[str | int]) -> str:
    """The key as its author would write it: `models[1].limits.rpm`."""
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f"{'.' if path else ''}{_bare(step)}"
    return path


def _bare(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else repr(key)


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """` (did you mean X?)` where one is close, then what is allowed."""
    names = list(allowed)
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{hint}; allowed: {', '.join(names)}"


def first_line(error: ValidationError, where: str, tables: Mapping[str, type[BaseModel]]) -> str:
    """The first thing that is wrong, and how many more there are.

    `tables` maps a key without its indices (`models.limits`) to the model that reads it.
    """
    details = error.errors(include_url=False)
    line = f"{where}: {_describe(details[0], tables)}"
    more = len(details) - 1
    return f"{line} (and {more} more)" if more else line


def _describe(detail: ErrorDetails, tables: Mapping[str, type[BaseModel]]) -> str:
    location = detail["loc"]
    path = key_path(location)
    kind = detail["type"]
    if kind == "extra_forbidden":
        parent = ".".join(step for step in location[:-1] if isinstance(step, str))
        allowed = _keys(tables[parent])
        return f"{path}: unknown key{did_you_mean(str(location[-1]), allowed)}"
    if kind == "missing":
        return f"{path}: is missing"
    if kind == "value_error":
        return f"{path}: {detail['ctx']['error'] if 'ctx' in detail else detail['msg']}"
    if kind == "literal_error":
        expected = detail["ctx"]["expected"] if "ctx" in detail else ""
        return f"{path} = {_shown(detail['input'])}: must be {expected}"
    wanted = _TYPES.get(kind)
    reason = f"must be {wanted}" if wanted else detail["msg"].replace("Input should", "should")
    return f"{path} = {_shown(detail['input'])}: {reason}"


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
