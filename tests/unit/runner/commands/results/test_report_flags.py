from pathlib import Path

import pytest

from runner.commands.results.report_flags import ReportFlags, ReportMode
from runner.errors import UsageError

TWO = (Path("a.duckdb"), Path("b.duckdb"))


def test_several_files_are_compared() -> None:
    assert ReportFlags(files=TWO[:1], html=Path("x.html")).mode is ReportMode.ONE_FILE
    assert ReportFlags(files=TWO, task="niah.*").mode is ReportMode.COMPARE


def test_what_a_comparison_does_not_draw_or_split_is_refused() -> None:
    with pytest.raises(UsageError, match="--png does not apply to a comparison of files"):
        ReportFlags(files=TWO, png=Path("pictures"))
    with pytest.raises(UsageError, match="--interval 'normal': must be cluster or wilson"):
        ReportFlags(files=TWO, interval="normal")
