"""One run, stage by stage: what is refused before a file exists, and what a finished one needs."""

from pathlib import Path

import pytest

from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.plan import plan as plans
from runner.plan.cell import Cell, PlannedPoint, make_cell
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.server import serve
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
