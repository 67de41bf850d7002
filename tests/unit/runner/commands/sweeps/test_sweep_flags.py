"""Flags of a sweep: which go together, and what they make of a config."""

from pathlib import Path
from typing import Any

import pytest

from runner.commands.sweeps.sweep_flags import (
    SweepFlags,
    SweepMode,
    apply_flags,
    parse_outcomes,
    result_file,
)
from runner.errors import UsageError
from tests.fakes.sweeps import simple_config

CONFIG = Path("sweep.toml")


def test_a_flag_says_the_mode_and_none_is_a_sweep():
    assert SweepFlags().mode is SweepMode.SWEEP
    assert SweepFlags(dry_run=True).mode is SweepMode.DRY_RUN
    assert SweepFlags(rehearse=True).mode is SweepMode.REHEARSE


@pytest.mark.parametrize(
    ("mode", "flag", "value"),
    [
        ("dry_run", "calibrate", 5),
        ("dry_run", "live_sql", True),
        ("rehearse", "calibrate", 5),
        ("rehearse", "live_sql", True),
        ("rehearse", "resume", True),
        ("rehearse", "no_resume", True),
        ("rehearse", "retry_outcomes", "timeout"),
        ("rehearse", "save_prompts", True),
        ("dry_run", "rehearse", True),
        ("json", "plain", True),
        ("resume", "no_resume", True),
        ("no_resume", "retry_outcomes", "timeout"),
    ],
)
def test_what_would_be_passed_over_in_silence_is_refused(mode: str, flag: str, value: Any):
    with pytest.raises(UsageError) as refused:
        SweepFlags(**{mode: True, flag: value})
    said = str(refused.value)
    assert f"--{flag.replace('_', '-')}" in said
    assert f"--{mode.replace('_', '-')}" in said


def test_a_dry_run_takes_the_flags_of_the_file_that_it_reads():
    flags = SweepFlags(
        dry_run=True, resume=True, retry_outcomes="timeout", save_prompts=True, json=True
    )
    assert flags.mode is SweepMode.DRY_RUN


def test_no_resume_refuses_a_file_that_is_there(tmp_path: Path):
    there = tmp_path / "there.duckdb"
    there.touch()
    config = simple_config()
    assert result_file(CONFIG, config, SweepFlags(db=there)) == there
    with pytest.raises(UsageError, match="--no-resume"):
        result_file(CONFIG, config, SweepFlags(db=there, no_resume=True))


def test_a_file_is_named_like_its_config():
    assert result_file(CONFIG, simple_config(), SweepFlags()) == Path("sweep.duckdb")


def test_flags_stand_over_the_config():
    config = simple_config()
    assert apply_flags(config, SweepFlags()) == config
    assert apply_flags(config, SweepFlags(budget="2usd")).budget_pusd == 2 * 10**12
    with pytest.raises(UsageError, match="--models"):
        apply_flags(config, SweepFlags(models="nothing*"))


def test_outcomes_are_words_of_the_table():
    assert parse_outcomes(None) == frozenset()
    assert parse_outcomes("timeout, transient") == {"timeout", "transient"}
    with pytest.raises(UsageError, match="no such outcome"):
        parse_outcomes("tired")
