"""`--dry-run` as users start it: no key, no file, exit 0 whatever does not fit."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.commands.setup import check
from runner.commands.sweeps import dry_run, rehearse, sweep
from runner.commands.sweeps.sweep_flags import SweepFlags, planned
from runner.config.sweep import parse
from runner.errors import UsageError
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from state.store import StoreError
from tests.fakes.plans import sweep_text
from tests.fakes.simulator import Start


def dry(folder: Path, text: str, **flags: Any) -> int:
    config = folder / "sweep.toml"
    config.write_text(text)
    return dry_run.run(config, SweepFlags(dry_run=True, db=folder / "out.duckdb", **flags))


def document(folder: Path, text: str, capsys: pytest.CaptureFixture[str], **flags: Any) -> Any:
    assert dry(folder, text, json=True, **flags) == 0
    return orjson.loads(capsys.readouterr().out)


def test_no_key_is_read_and_no_file_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    assert dry(tmp_path, sweep_text(id="openai/gpt-4o")) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
    out = capsys.readouterr().out
    assert "nothing is sent" in out
    assert "o200k_base vocabulary" in out


def test_what_can_never_be_sent_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = document(tmp_path, sweep_text(model="context_window = 100"), capsys, budget="1usd")
    assert found["total"]["over_window"] == 12
    assert found["total"]["to_send"] == 0


def test_flags_narrow_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = document(tmp_path, sweep_text(), capsys, where="size < 3000", budget="7usd")
    assert found["total"]["trials"] == 6
    assert found["budget"]["budget_usd"] == 7
    with pytest.raises(UsageError, match="--models"):
        dry(tmp_path, sweep_text(), models="nobody/*")


def test_a_file_that_is_not_ours_is_told(tmp_path: Path):
    (tmp_path / "out.duckdb").write_bytes(b"x" * 5000)
    with pytest.raises(StoreError):
        dry(tmp_path, sweep_text())


@pytest.mark.loopback
async def test_what_resume_would_skip(
    simulator: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    running = await simulator(price={"input": 1, "output": 1})
    text = sweep_text(model="price = { input = 1.0, output = 1.0 }\n").replace(
        "http://127.0.0.1:9/v1", running.openai_url
    )
    config = parse(text, tmp_path / "sweep.toml")
    part = planned(config, "size < 3000")
    db = tmp_path / "out.duckdb"
    await run_sweep(config, part, db, choose(plain=True, json=False), RunOptions())
    before = len(running.simulator.log.entries)
    capsys.readouterr()
    found = document(tmp_path, text, capsys, budget="1usd")
    assert len(running.simulator.log.entries) == before
    assert found["total"]["done"] == 6
    assert found["total"]["to_send"] == 6
    assert found["models"][0]["simulated"] is True
    assert found["budget"]["spent_usd"] == pytest.approx(
        running.simulator.log.bill().cost_pusd / 1e12
    )
    again = document(tmp_path, text, capsys, retry_outcomes="answered")
    assert again["total"]["to_send"] == 12


def test_a_cap_that_thinking_uses_up_is_refused_alike_by_every_command(tmp_path: Path):
    config = tmp_path / "sweep.toml"
    config.write_text(sweep_text(id="openai/o3", model="params = { max_tokens = 500 }"))
    db = tmp_path / "out.duckdb"
    told = set[str]()
    for command in (
        lambda: check.run(config),
        lambda: dry_run.run(config, SweepFlags(dry_run=True, db=db)),
        lambda: rehearse.run(config, SweepFlags(rehearse=True, db=db)),
        lambda: sweep.run(config, SweepFlags(db=db)),
    ):
        with pytest.raises(UsageError) as refused:
            command()
        told.add(str(refused.value))
    (line,) = told
    assert line == (
        f"{config}: models[openai/o3].params.max_tokens: the output cap is 500 tokens and "
        "thinking is paid from it: set params.max_tokens to 1,024 or more"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
