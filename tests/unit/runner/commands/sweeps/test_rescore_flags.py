"""Flags of a rescore: those of calls need a judge."""

from pathlib import Path
from typing import Any

import pytest

from runner.commands.sweeps.rescore_flags import RescoreFlags, RescoreMode
from runner.errors import UsageError

OF_CALLS = [
    ("budget", "1usd"),
    ("config", Path("judges.toml")),
    ("retry_outcomes", "timeout"),
    ("plain", True),
]


@pytest.mark.parametrize(("flag", "value"), OF_CALLS)
def test_flags_of_calls_need_a_judge(flag: str, value: Any):
    with pytest.raises(UsageError, match=f"--{flag.replace('_', '-')} does not apply .* --judge"):
        RescoreFlags(**{flag: value})
    assert RescoreFlags(judge="compat/rater", **{flag: value}).mode is RescoreMode.JUDGE


def test_a_profile_and_switches_are_for_both():
    given: dict[str, Any] = {"profile": "paper", "switches": ("flenqa.answer=paper",)}
    assert RescoreFlags(**given).mode is RescoreMode.EXACT
    assert RescoreFlags(judge="compat/rater", **given).mode is RescoreMode.JUDGE
