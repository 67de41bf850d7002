"""A canary key turns up in no file and no line, whatever the provider says or the code does."""

import traceback
from pathlib import Path

import pytest

import runner.engine.retry
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.errors import UsageError
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.faults import InjectedFault
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback
CANARY = "CANARY+key/9f81c2d7e6a5"
"""With characters that look different in a URL."""
CONFIG = """
[sweep]
repeats = 12
[[models]]
id = "{provider}/a"
base_url = "{url}"
api_key_env = "CANARY_KEY"
price = {{ input = 1.0, output = 2.0 }}
params = {{ max_tokens = 50 }}
limits = {{ concurrency = 3 }}
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""
ECHO = f'{{"error": {{"message": "no such key: {CANARY}", "type": "{CANARY}"}}}}'
SCRIPT = (
    InjectedFault(name="500", body=ECHO),
    InjectedFault(name="502 html", body=f"<html>Authorization: Bearer {CANARY}</html>"),
    InjectedFault(name="503", headers={"x-request-id": CANARY}),
    InjectedFault(name="400", body=ECHO),
    InjectedFault(name="reset"),
    InjectedFault(name="cut length"),
    InjectedFault(name="bad json"),
    InjectedFault(name="429", retry_after="0.01", body=ECHO),
    InjectedFault(name="sse error"),
    InjectedFault(name="401", status=401, body=ECHO),
)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
async def test_no_file_and_no_line_holds_the_key(
    simulator: Start,
    tmp_path: Path,
    provider: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(runner.engine.retry, "backoff_s", lambda policy, used: 0.01)
    model = ModelSettings(reply=f"The key is {CANARY}", script=SCRIPT)
    running = await simulator(SimulatorSettings(models={"a": model}))
    url = running.openai_url if provider == "openai" else running.origin
    config = parse(CONFIG.format(provider=provider, url=url), tmp_path / "sweep.toml")
    options = RunOptions(environ={"CANARY_KEY": CANARY}, live_sql=False)
    display = choose(plain=True, json=False)
    end = await run_sweep(config, planned(config), tmp_path / "x.duckdb", display, options)
    assert end.exit_code == 4
    said = "".join(capfd.readouterr()) + repr(end)
    assert CANARY not in said
    files = contents(tmp_path)
    assert {"x.duckdb", "x.duckdb.log"} <= set(files)
    assert b"no such key" in files["x.duckdb.log"]
    assert [name for name, content in files.items() if CANARY.encode() in content] == []
    assert all(CANARY not in entry.path for entry in running.simulator.log.entries)
    assert any(entry.outcome == "replied" for entry in running.simulator.log.entries)


@pytest.mark.parametrize(
    "line", ['api_key = "{key}"', 'base_url = "http://u:{key}@h/v1"', 'api_key_env = "{key}"']
)
def test_a_config_that_holds_a_key_is_refused_and_not_repeated(tmp_path: Path, line: str):
    text = CONFIG.format(provider="openai", url="http://127.0.0.1:9/v1").replace(
        'api_key_env = "CANARY_KEY"', line.format(key=CANARY.replace("/", "-"))
    )
    if line.startswith("base_url"):
        text = text.replace('base_url = "http://127.0.0.1:9/v1"\n', "")
    with pytest.raises(UsageError) as caught:
        parse(text, tmp_path / "sweep.toml")
    assert "CANARY+" not in "".join(traceback.format_exception(caught.value))
