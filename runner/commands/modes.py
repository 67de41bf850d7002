"""Flags that apply to some modes of a command only: where they do not apply they are refused.

A flag that is left out has its default, so whoever asks for nothing else is refused nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING

from runner.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_MODES = "modes"


def only(*modes: StrEnum) -> Mapping[str, frozenset[StrEnum]]:
    """Metadata of a record's field: its flag applies to these modes and to no other."""
    return {_MODES: frozenset(modes)}


def given(flags: "DataclassInstance") -> frozenset[str]:
    """The fields that ask for something else than their default."""
    return frozenset(
        each.name for each in fields(flags) if getattr(flags, each.name) != each.default
    )


def refuse_foreign(flags: "DataclassInstance", mode: StrEnum) -> None:
    """Raise UsageError for the first given flag that the mode would pass over in silence."""
    asked = given(flags)
    for each in fields(flags):
        modes: frozenset[StrEnum] = each.metadata.get(_MODES, frozenset({mode}))
        if each.name in asked and mode not in modes:
            home = " or ".join(sorted(modes))
            raise UsageError(f"{spelled(each.name)} does not apply to {mode}: it is for {home}")


def refuse_together(flags: "DataclassInstance", pairs: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError for the first pair of given flags of which each excludes the other."""
    asked = given(flags)
    for one, other in pairs:
        if {one, other} <= asked:
            raise UsageError(f"{spelled(one)} and {spelled(other)} exclude each other")


def spelled(name: str) -> str:
    """How a field's flag is typed: `--retry-outcomes` for `retry_outcomes`."""
    return f"--{name.replace('_', '-')}"
