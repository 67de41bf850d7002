"""The `[[tasks]]` tables of a config: a task's axes, and its options beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from runner.config.complaints import did_you_mean, key_path
from runner.config.models import MAX_REPEATS
from runner.errors import UsageError
from tasks.catalog import TASKS
from tasks.corpus import is_glob
from tasks.grid import check_value
from tasks.ladders import ladder
from tasks.options import TaskOptions
from tasks.sample import Axis, Scalar, TaskError

_PATHS = ("haystack", "prompts", "data")
_TEXTS = ("needle", "question")
OPTIONS = (*_PATHS, *_TEXTS, "answer", "repeats")
"""Keys of a task's table that are not axes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """One task to sweep; axes that are not given take the paper's values."""

    name: str
    axes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict[str, tuple[Scalar, ...]])
    given: TaskOptions = field(default_factory=TaskOptions)
    """The options beside the axes; the switches are the sweep's and come with it."""
    repeats: int | None = None
    """How often each point is asked; None leaves it to `[sweep]`."""

    def options(self, switches: Mapping[str, Scalar]) -> TaskOptions:
        """What the task is built with, under these effective switches."""
        return replace(self.given, switches=switches)

    def to_json(self) -> dict[str, Any]:
        """All that was set, as JSON values."""
        texts = {name: getattr(self.given, name) for name in (*_PATHS, *_TEXTS)}
        return {
            "name": self.name,
            **{name: list(values) for name, values in self.axes.items()},
            **{name: str(value) for name, value in texts.items() if value is not None},
            **({"answer": list(self.given.answer)} if self.given.answer else {}),
            **({} if self.repeats is None else {"repeats": self.repeats}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What `[sweep]` says for every task, and where relative paths start."""

    folder: Path
    haystack: Path | None
    prompts: Path | None


def read_tasks(
    tables: Sequence[Mapping[str, Any]], defaults: Defaults, where: str
) -> tuple[TaskConfig, ...]:
    """All tables, checked against the catalogue. Raises UsageError with one line."""
    return tuple(
        _read(table, defaults, f"{where}: tasks[{index}]") for index, table in enumerate(tables)
    )


def _read(table: Mapping[str, Any], defaults: Defaults, where: str) -> TaskConfig:
    name = table.get("name")
    if not isinstance(name, str):
        raise UsageError(f'{where}.name: is missing; write name = "TASK" (see `runner tasks`)')
    if name not in TASKS:
        raise UsageError(f"{where}.name: no task {name!r}{did_you_mean(name, TASKS)}")
    axes = {axis.name: axis for axis in TASKS[name].axes}
    rest = {key: value for key, value in table.items() if key != "name"}
    # An axis wins over an option of the same name: `question` is an axis of NeedleChain.
    options = {key: value for key, value in rest.items() if key in OPTIONS and key not in axes}
    given = {key: value for key, value in rest.items() if key not in options}
    for key in given:
        if key not in axes:
            path = f"{where}.{key_path([key])}"
            raise UsageError(f"{path}: unknown key{did_you_mean(key, (*axes, *OPTIONS))}")
    return TaskConfig(
        name=name,
        axes={
            # The values of official data are its own; the task that reads the file checks them.
            key: _values(value, f"{where}.{key}", None if "data" in options else axes[key], name)
            for key, value in given.items()
        },
        given=TaskOptions(
            haystack=_path(options, "haystack", defaults, where) or defaults.haystack,
            prompts=_path(options, "prompts", defaults, where) or defaults.prompts,
            data=_path(options, "data", defaults, where),
            needle=_text(options, "needle", where),
            question=_text(options, "question", where),
            answer=_answer(options.get("answer", []), where),
        ),
        repeats=_repeats(options.get("repeats"), f"{where}.repeats"),
    )


def _values(value: Any, where: str, axis: Axis | None, task: str) -> tuple[Scalar, ...]:
    """The values of one axis as a tuple, checked where `axis` says what is allowed."""
    if isinstance(value, dict):
        value = _ladder(cast("dict[str, Any]", value), where, axis)
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not items:
        raise UsageError(f"{where}: is an empty list; leave the key out for the published values")
    for item in items:
        if not isinstance(item, str | int | float | bool):
            raise UsageError(f"{where}: holds {item!r}; an axis is a value or a list of values")
    try:
        checked = tuple(check_value(task, axis, item) if axis else item for item in items)
    except TaskError as error:
        raise UsageError(f"{where}: {error}") from error
    if len(set(map(repr, checked))) < len(checked):
        raise UsageError(f"{where}: holds a value twice")
    if axis and axis.unit == "percent" and _looks_like_shares(items):
        percent = [round(100 * item, 6) for item in items]
        shown = ", ".join(f"{item:g}" for item in percent)
        raise UsageError(
            f"{where} = {items}: depths are in percent, and these all lie in the first one; write "
            f"[{shown}] if they are shares of the context"
        )
    return checked


def _looks_like_shares(items: Sequence[Any]) -> bool:
    """Numbers with a point from 0 to 1: nobody sweeps a hundredth of the context."""
    return any(isinstance(item, float) for item in items) and 0 < max(items) <= 1


def _ladder(table: Mapping[str, Any], where: str, axis: Axis | None) -> list[float]:
    if axis is None:
        raise UsageError(f"{where}: the values of published rows are listed, not spaced")
    if isinstance(axis.published[0], str | bool) or axis.choices is not None:
        raise UsageError(f"{where}: is no scale of numbers; write a list of values")
    try:
        return list(ladder(table, axis))
    except TaskError as error:
        raise UsageError(f"{where}: {error}") from error


def _repeats(value: Any, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_REPEATS:
        raise UsageError(f"{where} = {value!r}: must be a whole number from 1 to {MAX_REPEATS:,}")
    return value


def _path(options: Mapping[str, Any], key: str, defaults: Defaults, where: str) -> Path | None:
    text = _text(options, key, where)
    if text is None:
        return None
    try:
        return existing(defaults.folder, text)
    except ValueError as error:
        raise UsageError(f"{where}.{key}: {error}") from error


def existing(folder: Path, text: str) -> Path:
    """The path that a config in `folder` means. Raises ValueError when nothing is there."""
    try:
        path = folder / Path(text).expanduser()
        found = path.exists() or (is_glob(path) and any(path.parent.glob(path.name)))
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{text!r} is no path: {error!r}") from error
    if not found:
        start = "relative paths start at the config's folder"
        raise ValueError(f"nothing at {str(path)!r}; {start}")
    return path


def _text(options: Mapping[str, Any], key: str, where: str) -> str | None:
    value = options.get(key)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise UsageError(f"{where}.{key} = {value!r}: must be text in quotes")


def _answer(value: Any, where: str) -> tuple[str, ...]:
    words = cast("list[Any]", value) if isinstance(value, list) else [value]
    if all(isinstance(word, str) and word.strip() for word in words):
        return tuple(words)
    raise UsageError(f"{where}.answer: must be text in quotes, or a list of texts")
