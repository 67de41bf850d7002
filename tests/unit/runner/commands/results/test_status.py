"""What `status` says of a sweep, from rows and from the running sweep's own file."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.commands.results import status
from runner.commands.results.status import Moment, headline, read_moment
from tests.sql.facts import Facts

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


LANE = {
    "in_flight": 7,
    "oldest_s": 3.2,
    "rate_limited": 4,
    "tokens_per_s": 1234.5,
    "eta_s": 61,
    "waiting_limiter": True,
    "waiting_backoff": 0,
    "errors": {"invalid_request": 2},
}


def test_status_of_a_file_at_rest(file, capsys):
    assert status.run(file) == 0
    out = capsys.readouterr().out
    assert "3 of 4 trials done (75.0 %)" in out
    assert "1 trials not done (pending:budget)" in out


def test_status_of_a_live_sweep(file):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    stamp = int((now - timedelta(seconds=1)).timestamp() * 1e6)
    content = {
        "name": "first",
        "state": "running",
        "elapsed_s": 65,
        "budget_usd": 5.0,
        "spent_usd": 1.25,
        "held_usd": 0.5,
        "updated_at": stamp,
        "models": {"openai/alpha": LANE},
    }
    file.with_name(file.name + ".status").write_bytes(orjson.dumps(content))
    moment = status.read_moment(file, now)
    assert moment is not None
    progress = [{"provider": "openai", "model": "alpha", "simulated": False, "n_planned": 4,
                 "n_done": 3, "n_answered": 3, "n_not_evaluated": 0, "share_done": 0.75,
                 "n_pending": 1, "pending_reason": None}]  # fmt: skip
    spend = [{"provider": "openai", "model": "alpha", "simulated": False, "settled": 1.25,
              "maybe_billed": None}]  # fmt: skip
    lines = list(status.headline(progress, moment))
    assert lines[1] == "first: running, for 1m05s"
    assert lines[2] == "spent $1.25 of $5.00, held for running calls $0.5000, left $3.25"
    (row,) = status.table(progress, spend, moment).rows
    assert row[6:] == ["$1.25", "-", "7", "3s", "4", "1.2k", "1m01s", "rate limit"]
    assert list(status.remarks(progress, moment)) == [
        "alpha: calls without an answer: invalid_request 2"
    ]
    late = status.read_moment(file, now + timedelta(minutes=5))
    assert late is not None
    assert "no sign of life" in list(status.headline(progress, late))[1]


def test_a_broken_status_file_is_no_status(file):
    file.with_name(file.name + ".status").write_text("{half")
    assert status.read_moment(file, datetime.now(UTC)) is None


def test_trials_that_stand_in_an_error_are_not_done_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    facts = Facts().sweep(repeats=4)
    cell = facts.cell("needle_threading.single_needle", 2000, depth=0)
    for outcome in ("answered", "refused", "transient", "timeout"):
        facts.trial(cell, 1.0 if outcome == "answered" else None, outcome=outcome)
    db = tmp_path / "x.duckdb"
    facts.connect(str(db)).close()
    assert status.run(db) == 0
    out = capsys.readouterr().out
    assert "2 of 4 trials done (50.0 %), 2 ended in an error" in out
    assert "1 trials ended as timeout; ask again with --retry-outcomes timeout" in out
