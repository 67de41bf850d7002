from pathlib import Path

import pytest

from runner.commands.setup.reproduce import ReproduceFlags, ReproduceMode, run
from runner.errors import UsageError


def test_a_file_of_results_is_read_and_without_one_a_grid_is_written() -> None:
    assert ReproduceFlags(model=("sim/a",)).mode is ReproduceMode.CONFIG
    assert ReproduceFlags(db=Path("a.duckdb"), format="csv").mode is ReproduceMode.RESULTS
    with pytest.raises(UsageError, match="--out does not apply to a file of results"):
        ReproduceFlags(db=Path("a.duckdb"), out=Path("b.toml"))


def test_a_table_that_cannot_be_made_names_those_that_can() -> None:
    with pytest.raises(UsageError, match="--table 3: of needle-threading there are tables 1, 2"):
        run("needle-threading", ReproduceFlags(table=3, model=("sim/a",)))
