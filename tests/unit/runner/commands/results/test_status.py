"""What `status` says of a sweep, from rows and from the running sweep's own file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.commands.results.status import Moment, headline, read_moment

ROW: dict[str, Any] = {"n_planned": 8, "n_done": 2, "simulated": False}


def test_a_sweep_that_has_ended_has_one_line():
    assert list(headline([ROW], None)) == ["2 of 8 trials done (25.0 %)"]
    assert next(headline([{**ROW, "simulated": True}], None)).endswith("[SIMULATED]")


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (None, "spent $1.50, held for running calls $0.2500"),
        (2.0, "spent $1.50 of $2.00, held for running calls $0.2500, left $0.2500"),
        (1.0, "spent $1.50 of $1.00, held for running calls $0.2500, left $0.00"),
    ],
)
def test_a_running_sweep_says_what_is_left(budget: float | None, said: str):
    content = {"spent_usd": 1.5, "held_usd": 0.25, "budget_usd": budget, "elapsed_s": 3}
    assert list(headline([ROW], Moment(content=content, age_s=0)))[-1] == said


def test_silence_is_said():
    lines = list(headline([ROW], Moment(content={"name": "mine"}, age_s=120)))
    assert lines[1] == "mine: no sign of life for 2m00s, for -"


def test_a_status_file_that_cannot_be_read_is_none(tmp_path: Path):
    db, now = tmp_path / "x.duckdb", datetime(2026, 1, 1, tzinfo=UTC)
    assert read_moment(db, now) is None
    beside = tmp_path / "x.duckdb.status"
    beside.write_text("{")
    assert read_moment(db, now) is None
    beside.write_bytes(orjson.dumps({"updated_at": int((now.timestamp() - 5) * 1e6)}))
    moment = read_moment(db, now)
    assert moment is not None
    assert moment.age_s == pytest.approx(5)
