"""One run, stage by stage: what is refused before a file exists, and what a finished one needs."""

import asyncio
from pathlib import Path

import duckdb
import pytest

from runner.commands.results import status
from runner.engine.scoring import Judge
from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.plan import plan as plans
from runner.plan.cell import Cell, PlannedPoint, make_cell
from runner.progress.display import choose
from runner.session import run
from runner.session.run import RunOptions, run_sweep
from runner.simulator.server import serve
from state.records import Outcome, ScoreRow
from tests.fakes.plans import plan_of, sweep_text
from tests.fakes.simulator import make_settings

pytestmark = pytest.mark.loopback
OWN = "limits = { concurrency = 4 }"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def swept(text: str, db: Path, **environ: str) -> int:
    config, plan = plan_of(text, db.parent)
    display = choose(plain=True, json=False)
    end = await run_sweep(config, plan, db, display, RunOptions(environ=environ))
    return end.exit_code


async def test_a_missing_key_leaves_no_file_behind(tmp_path: Path):
    db = tmp_path / "a.duckdb"
    with pytest.raises(UsageError, match="NO_SUCH_KEY is not set"):
        await swept(sweep_text(model='api_key_env = "NO_SUCH_KEY"'), db)
    assert names(tmp_path) == set()


async def test_a_server_that_is_not_there_leaves_no_file_behind(tmp_path: Path):
    db = tmp_path / "a.duckdb"
    with pytest.raises(UsageError, match=r"models\[compat/a\].base_url.*cannot be reached"):
        await swept(sweep_text(model="price = 0"), db)
    assert names(tmp_path) == set()


async def test_a_finished_sweep_says_so_and_sends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    db = tmp_path / "a.duckdb"
    text = sweep_text(id="sim/any", sweep="repeats = 1", model=OWN)
    assert await swept(text, db) == 0
    assert "6 trials planned, 0 done before, 6 to send" in capsys.readouterr().out
    assert await swept(text, db) == 0
    assert "6 trials planned, 6 done before, 0 to send" in capsys.readouterr().out
    assert names(tmp_path) == {"a.duckdb", "a.duckdb.log"}


async def test_the_plan_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = list[Cell]()

    def counted(model: ModelSpec, planned: PlannedPoint) -> Cell:
        made.append(make_cell(model, planned))
        return made[-1]

    monkeypatch.setattr(plans, "make_cell", counted)
    async with serve(make_settings()) as simulator:
        text = sweep_text(model=OWN, sweep="repeats = 1").replace(
            "http://127.0.0.1:9/v1", simulator.openai_url
        )
        for _ in ("a simulator at an address that no file knows", "one that the file knows"):
            made.clear()
            assert await swept(text, tmp_path / "a.duckdb", COMPAT_API_KEY="k") == 0
            assert (len(made), {cell.model.simulated for cell in made}) == (6, {True})


async def test_errors_stand_in_every_run_until_they_are_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """The end of each run and `status` say the same of the file."""
    db = tmp_path / "a.duckdb"
    async with serve(make_settings(script=["400", "ok", "400"])) as simulator:
        text = sweep_text(model="limits = { concurrency = 1 }", sweep="repeats = 1")
        text = text.replace("http://127.0.0.1:9/v1", simulator.openai_url)
        again = f"2 trials ended as {Outcome.INVALID_REQUEST}; ask again with"
        for _ in ("the run that met them", "a run that sends nothing"):
            assert await swept(text, db, COMPAT_API_KEY="k") == 5
            paths = [entry.path for entry in simulator.simulator.log.entries]
            assert sum("chat" in path for path in paths) == 6
            assert await asyncio.to_thread(status.run, db) == 0
            out = capsys.readouterr().out
            assert "4 of 6 trials done (66.7 %), 2 ended in an error" in out
            assert again in out
        assert "4 done before, 2 ended in an error, 0 to send" in out
        options = RunOptions(retry=frozenset({"invalid_request"}), environ={"COMPAT_API_KEY": "k"})
        config, plan = plan_of(text, tmp_path)
        end = await run_sweep(config, plan, db, choose(plain=True, json=False), options)
        assert (end.exit_code, end.errors) == (0, {})


async def test_a_reply_that_cannot_be_scored_is_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    db = tmp_path / "a.duckdb"
    text = sweep_text(id="sim/any", sweep="repeats = 1", model=OWN)
    assert await swept(text, db) == 0
    with duckdb.connect(str(db)) as connection:
        connection.execute("DELETE FROM scores WHERE rowid = 0")

    def broken(*_: object) -> Judge:
        def judge(*_: object) -> ScoreRow:
            raise ValueError("no such word")

        return judge

    monkeypatch.setattr(run, "make_judge", broken)
    assert await swept(text, db) == 5
    monkeypatch.undo()
    assert await swept(text, db) == 0
