"""What one published row becomes: samples of our tasks, and doubts about the row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from tasks.sample import Scalar


class RowError(ValueError):
    """The row is not one of its kind; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row under one of our tasks, with all that its prompt needs."""

    task: str
    axes: Mapping[str, Scalar]
    """The axes that the row fixes; others (a question, a way to ask) stay free."""
    rank: int
    """Its place among rows with the same axes, as the published numbering has it."""
    inputs: Mapping[str, Any]
    """JSON."""
    text: str = ""
    """The long part of the prompt, which many rows may share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """The entries of one row."""

    entries: Sequence[Entry]
    disagreements: Sequence[str] = field(default=())
    """Where a solver finds something else than the row says; the row is kept all the same."""


class Row:
    """Typed access to a row's fields. Every method raises RowError naming the field."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def has(self, name: str) -> bool:
        """Whether the field is there and holds anything."""
        return self._fields.get(name) is not None

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._get(name)
        if not isinstance(value, str) or not value.strip():
            raise RowError(f"{name} must be a text, not {_show(value)}")
        return value

    def whole(self, name: str) -> int:
        """A whole number, also where it is written as text or as a float."""
        value = self.number(name)
        if value != int(value):
            raise RowError(f"{name} must be whole, not {_show(value)}")
        return int(value)

    def number(self, name: str) -> float:
        """A finite number, also where it is written as text."""
        value = self._get(name)
        try:
            number = float(value) if isinstance(value, int | float | str) else None
        except (ValueError, OverflowError):
            number = None
        if number is None or isinstance(value, bool) or number - number != 0:
            raise RowError(f"{name} must be a number, not {_show(value)}")
        return number

    def texts(self, name: str) -> list[str]:
        """A list of texts, not empty; a single text is a list of one."""
        value = self._get(name)
        items = [value] if isinstance(value, str) else value
        if not _are_texts(items):
            raise RowError(f"{name} must be a list of texts, not {_show(value)}")
        return items

    def truth(self, name: str) -> bool:
        """True or false, also where it is written as text."""
        value = self._get(name)
        known = {"true": True, "false": False}.get(str(value).strip().lower())
        if known is None:
            raise RowError(f"{name} must be True or False, not {_show(value)}")
        return known

    def choice(self, name: str, choices: Mapping[str, str]) -> str:
        """One of the texts that `choices` knows, as our word for it."""
        value = self.text(name).strip()
        known = choices.get(value)
        if known is None:
            raise RowError(f"{name} = {value[:60]!r} is not one of {', '.join(choices)}")
        return known

    def _get(self, name: str) -> Any:
        value = self._fields.get(name)
        if value is None:
            raise RowError(f"no field {name}")
        return value


def _are_texts(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, str) and item for item in cast("list[Any]", value))


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
