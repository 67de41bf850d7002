"""Flags that a mode does not know are refused; a flag that was left out never is."""

from dataclasses import dataclass, field
from enum import StrEnum

import pytest

from runner.commands.modes import given, only, refuse_foreign, refuse_together
from runner.errors import UsageError


class Mode(StrEnum):
    FLY = "--fly"
    SWIM = "--swim"
    WALK = "a walk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    speed: int = 1
    wing_span: int = field(default=2, metadata=only(Mode.FLY))
    wet: bool = field(default=False, metadata=only(Mode.SWIM, Mode.WALK))


@pytest.mark.parametrize("mode", Mode)
def test_defaults_and_flags_of_all_modes_are_never_refused(mode: Mode):
    refuse_foreign(Flags(), mode)
    refuse_foreign(Flags(speed=9), mode)


def test_a_refusal_names_the_flag_the_mode_and_where_it_belongs():
    with pytest.raises(UsageError) as refused:
        refuse_foreign(Flags(wet=True), Mode.FLY)
    assert str(refused.value) == "--wet does not apply to --fly: it is for --swim or a walk"
    refuse_foreign(Flags(wet=True), Mode.WALK)


def test_two_that_exclude_each_other():
    pairs = [("wing_span", "wet")]
    refuse_together(Flags(wet=True), pairs)
    with pytest.raises(UsageError, match="--wing-span and --wet exclude each other"):
        refuse_together(Flags(wing_span=3, wet=True), pairs)


def test_what_differs_from_its_default_was_given():
    assert given(Flags()) == frozenset()
    assert given(Flags(speed=1, wing_span=5)) == {"wing_span"}
