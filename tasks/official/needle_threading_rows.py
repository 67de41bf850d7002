"""Rows of the published Needle Threading sets (HF `jonathan-roberts1/needle-threading`)."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import orjson

from tasks.official.entry import Entry, Parsed, Row, RowError
from tasks.sample import Scalar

SPLITS: Mapping[str, str] = {
    "singleneedle": "single_needle",
    "multipleneedles": "multi_needle",
    "multineedle": "multi_needle",
    "conditionalneedles": "conditional_needle",
    "conditionalneedle": "conditional_needle",
    "singlethreads": "threading",
    "singlethread": "threading",
    "multithreads": "multi_threading",
    "multithread": "multi_threading",
}
"""Names in the data and, where they differ, the stale ones of the README, without underscores."""
_MAX_LIST_CHARS = 100_000
_NOTHING = {"", "N/A", "None", "nan"}

Pairs = Mapping[str, str]


def parse(fields: Mapping[str, Any], label: str) -> Parsed:
    """The row as an entry of its task. Raises RowError."""
    row = Row(fields)
    task = _task(row, label)
    haystack = row.text("haystack")
    pairs = _pairs(haystack)
    keys, values = _items(row, "keys"), _items(row, "values")
    inputs = {"keys": keys, "values": values, "question": row.text("question")}
    entry = Entry(
        task=f"needle_threading.{task}",
        axes=_AXES[task](row),
        rank=row.whole("repeat_number"),
        inputs=inputs,
        text=haystack,
    )
    doubts = _doubts(row, task, pairs, (keys, values))
    return Parsed(entries=[entry], disagreements=doubts)


def _task(row: Row, label: str) -> str:
    """The task by the name of the row's split, else by what the row holds."""
    plain = re.sub(r"[^a-z]", "", label.lower())
    for split, task in SPLITS.items():
        if split in plain:
            return task
    if _word(row, "thread_direction"):
        return "multi_threading" if row.whole("num_threads") > 1 else "threading"
    if _word(row, "conditional_character"):
        return "conditional_needle"
    return "single_needle" if _word(row, "needle_placement") == "depthwise" else "multi_needle"


def _word(row: Row, name: str) -> str:
    text = row.text(name).strip() if row.has(name) else ""
    return "" if text in _NOTHING else text


def _pairs(haystack: str) -> dict[str, str]:
    try:
        pairs = orjson.loads(haystack)
    except orjson.JSONDecodeError as error:
        raise RowError(f"haystack is not JSON: {error}") from error
    if not isinstance(pairs, dict) or not pairs:
        raise RowError("haystack is not a JSON object of pairs")
    found = cast("dict[str, Any]", pairs)
    if not all(isinstance(value, str) for value in found.values()):
        raise RowError("haystack holds values that are no texts")
    return found


def _items(row: Row, name: str) -> list[str]:
    """One item, or a list that is written as Python writes it."""
    if not row.has(name):
        raise RowError(f"no field {name}")
    items = row.texts(name)
    if len(items) != 1 or not items[0].lstrip().startswith("["):
        return items
    if len(items[0]) > _MAX_LIST_CHARS:
        raise RowError(f"{name} is longer than any list of keys")
    try:
        listed = ast.literal_eval(items[0].strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise RowError(f"{name} is not a list: {error}") from error
    return Row({name: listed}).texts(name)


def _direction(row: Row) -> str:
    """`forwards` and `random directions` in our spelling; names that we do not know stay."""
    text = re.sub(r"[\s-]+", "_", row.text("thread_direction").strip().lower())
    return {"forwards": "forward", "backwards": "backward"}.get(text, text)


def _needles(row: Row) -> dict[str, Scalar]:
    return {
        "size": row.whole("context_length"),
        "needles": row.whole("num_needles"),
        "placement": row.text("needle_placement"),
    }


def _single_axes(row: Row) -> dict[str, Scalar]:
    depth = row.number("needle_depth")
    return {
        "size": row.whole("context_length"),
        "depth": int(depth) if depth == int(depth) else depth,
    }


def _conditional_axes(row: Row) -> dict[str, Scalar]:
    return {**_needles(row), "character": row.text("conditional_character")}


def _thread_axes(row: Row) -> dict[str, Scalar]:
    return {
        "size": row.whole("context_length"),
        "thread_length": row.whole("thread_length"),
        "direction": _direction(row),
    }


def _multi_thread_axes(row: Row) -> dict[str, Scalar]:
    return {**_thread_axes(row), "threads": row.whole("num_threads")}


_AXES: Mapping[str, Callable[[Row], dict[str, Scalar]]] = {
    "single_needle": _single_axes,
    "multi_needle": _needles,
    "conditional_needle": _conditional_axes,
    "threading": _thread_axes,
    "multi_threading": _multi_thread_axes,
}


def _doubts(
    row: Row, task: str, pairs: Pairs, asked: tuple[Sequence[str], Sequence[str]]
) -> list[str]:
    doubts: list[str] = []
    stated, actual = row.whole("context_length"), len(row.text("haystack"))
    if stated != actual:
        doubts.append(f"context_length is {stated}, the haystack has {actual} characters")
    keys, values = asked
    if task == "conditional_needle":
        mark = row.text("conditional_character")
        found = [value for key, value in pairs.items() if mark in key]
        right = sorted(found) == sorted(values)
    else:
        found = [_follow(pairs, key, links="thread" in task) for key in keys]
        right = found == list(values)
    if not right:
        doubts.append(f"values are {_show(values)}, the haystack gives {_show(found)}")
    return doubts


def _follow(pairs: Pairs, key: str, *, links: bool) -> str | None:
    """The value of a key, or the one at the end of its thread; None where there is none."""
    value, steps = pairs.get(key), 0
    while links and value is not None and value in pairs:
        value, steps = pairs[value], steps + 1
        if steps > len(pairs):  # a thread that closes on itself
            return None
    return value


def _show(values: Sequence[str | None]) -> str:
    text = ", ".join(map(str, values))
    return text if len(text) <= 80 else f"{text[:77]}..."
