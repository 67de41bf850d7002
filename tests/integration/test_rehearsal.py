"""A weekend in seconds: the sweep's own limits, money and file, with nobody asked."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runner.commands.sweeps import rehearse as command
from runner.commands.sweeps.rehearse import outcome_lines
from runner.commands.sweeps.sweep_flags import SweepFlags
from runner.errors import UsageError
from runner.forecast.build import guessed
from runner.progress.display import choose
from runner.rehearsal import rehearse as rehearsing
from runner.rehearsal.rehearse import Rehearsed, rehearse
from runner.rehearsal.virtual_time import VirtualLoop, run_virtual
from state.sharing.reading import open_for_reading
from tests.fakes.plans import plan_of, sweep_text

PRICE = "price = { input = 2.0, output = 10.0 }\n"


def rehearsed(text: str, db: Path) -> Rehearsed:
    config, plan = plan_of(text)
    return rehearse(config, plan, db, choose(plain=True, json=False), guessed)


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


def test_hours_under_tight_limits(tmp_path: Path):
    db = tmp_path / "r.duckdb"
    found = rehearsed(sweep_text(model=PRICE + "limits = { rpm = 1 }", sweep="repeats = 50"), db)
    assert found.end.exit_code == 0
    assert found.rate_limited == 0
    # 300 requests, one a minute: five hours, foreseen and seen.
    assert found.seconds == pytest.approx(5 * 3600, rel=0.03)
    assert found.forecast.seconds == pytest.approx(found.seconds, rel=0.03)
    assert rows(db, "select distinct simulated from cells") == [(True,)]
    assert rows(db, "select n_answered from progress") == [(300,)]
    usd = found.forecast.total.usd
    assert usd is not None
    assert usd.low < found.usd < usd.worst
    assert found.usd == pytest.approx(usd.expected, rel=0.1)
    waited = rows(db, "select max(queue_s) from attempts")[0][0]
    assert waited == pytest.approx(60, rel=0.1)


def test_the_budget_stops_it_as_it_would(tmp_path: Path):
    db = tmp_path / "r.duckdb"
    found = rehearsed(sweep_text(model=PRICE, sweep='repeats = 20\nbudget = "0.2usd"'), db)
    assert found.end.exit_code == 3
    assert found.end.view.spent_usd <= 0.2
    reach = found.forecast.reach
    assert reach is not None
    done = 1 - found.end.pending / found.trials
    assert done == pytest.approx(reach.share, abs=0.1)


def test_a_sample_stands_for_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = sweep_text(
        model=PRICE + "limits = { rpm = 2, rpd = 100000 }", sweep='repeats = 30\nbudget = "90usd"'
    )
    whole = rehearsed(text, tmp_path / "whole.duckdb")
    monkeypatch.setattr(rehearsing, "MOST_TRIALS", 60)
    part = rehearsed(text, tmp_path / "part.duckdb")
    assert (whole.share, part.share) == (1.0, pytest.approx(60 / 180))
    assert part.trials == 60
    assert part.seconds == pytest.approx(whole.seconds, rel=0.05)
    # Of two sizes, one dearer than the other: dollars are scaled by dollars, not by trials.
    assert part.usd == pytest.approx(whole.usd, rel=0.02)
    said = " ".join(outcome_lines(part))
    assert "rehearsed 60 of 180 planned trials (33.3 %)" in said
    assert "extrapolated" in said
    assert "extrapolated" not in " ".join(outcome_lines(whole))


GROUPED = """
[[models]]
id = "compat/a"
base_url = "http://simulated.invalid/v1"
price = 0
limits = { rpm = 60, group = "shared" }
[[models]]
id = "compat/b"
base_url = "http://simulated.invalid/v1"
price = 0
limits = { rpm = 30, group = "shared" }
[sweep]
repeats = 20
[[tasks]]
name = "needle_threading.single_needle"
size = [800, 1600]
depth = [0, 50, 100]
"""


def test_a_group_has_one_limit_in_the_simulator_too(tmp_path: Path):
    found = rehearsed(GROUPED, tmp_path / "r.duckdb")
    assert found.end.exit_code == 0
    # 240 requests at 30 a minute, the first 30 at once.
    assert found.seconds == pytest.approx(210 / 30 * 60, rel=0.02)
    assert found.forecast.seconds == pytest.approx(found.seconds, rel=0.05)
    assert found.rate_limited == 0


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "anthropic/claude-haiku-4-5", "google/gemini-2.5-flash"]
)
def test_every_wire_format(tmp_path: Path, model: str, streamed: bool):
    settings = "params = { max_tokens = 3000 }\nstream = " + str(streamed).lower()
    found = rehearsed(
        sweep_text(id=model, model=settings, sweep="repeats = 1"), tmp_path / "r.duckdb"
    )
    assert found.end.exit_code == 0
    assert found.usd > 0


def flags(**given: Any) -> SweepFlags:
    return SweepFlags(rehearse=True, plain=True, **given)


def test_the_command_needs_no_key_and_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = tmp_path / "sweep.toml"
    config.write_text(sweep_text(id="openai/gpt-4o", sweep='repeats = 1\nbudget = "5usd"'))
    assert command.run(config, flags()) == 0
    out = capsys.readouterr().out
    assert "SIMULATED DATA" in out
    assert "the sweep would take" in out
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_it_never_writes_into_results(tmp_path: Path):
    config, kept = tmp_path / "sweep.toml", tmp_path / "kept.duckdb"
    config.write_text(sweep_text(model="price = 0", sweep="repeats = 1"))
    assert command.run(config, flags(db=kept)) == 0
    assert rows(kept, "select count(*) from trials") == [(6,)]
    with pytest.raises(UsageError, match="a rehearsal writes to a new file"):
        command.run(config, flags(db=kept))


def test_virtual_time_waits_for_real_work():
    async def main(loop: VirtualLoop) -> tuple[float, float]:
        await asyncio.sleep(86_400)
        day = loop.time()
        with loop.held():
            await asyncio.to_thread(sum, range(1000))
        return day, loop.time()

    assert run_virtual(main) == (pytest.approx(86_400), pytest.approx(86_400))
