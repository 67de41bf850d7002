"""`runner --help`: complete, true, and without loading what it does not need."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from runner.cli import run
from runner.commands import overview
from runner.commands.flags import COMMANDS


def test_it_stays_within_a_terminal() -> None:
    assert max(map(len, overview.text(COMMANDS).splitlines())) <= 100


def _loaded_by(code: str) -> frozenset[str]:
    """Modules that are loaded once the code has run in a fresh interpreter."""
    tail = "\nimport json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, check=True)
    return frozenset(json.loads(done.stderr))


DRAWING = frozenset({"altair", "vl_convert", "scipy.stats", "pandas", "matplotlib"})


@pytest.mark.parametrize(
    ("command", "spared"),
    [
        ("setup.init", {"duckdb", "numpy", "pydantic", "aiohttp"}),
        ("sweeps.dry_run", {"duckdb", "pyarrow", "aiohttp"}),
        ("setup.check", {"duckdb", "pyarrow"}),
        ("setup.simulate", {"duckdb", "numpy", "genai_prices"}),
        ("setup.demo", set()),  # and with it sweep
        ("results.status", {"aiohttp", "genai_prices"}),
    ],
)
def test_a_command_loads_what_it_needs_and_no_more(command: str, spared: set[str]) -> None:
    loaded = _loaded_by(f"import runner.commands.{command}")
    assert not loaded & (DRAWING | spared)


def test_help_is_printed_without_loading_a_library() -> None:
    code = "import sys; sys.argv = ['runner', '--help']; from runner.cli import main; main()"
    assert not _loaded_by(code) & {"typer", "duckdb", "pydantic", "numpy", "asyncio", "rich"}


def test_help_is_the_overview(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["runner", "-h"])
    run()
    assert capsys.readouterr().out == overview.text(COMMANDS)


def test_the_version_is_the_installed_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["runner", "--version"])
    run()
    assert capsys.readouterr().out == f"runner {version('runner')}\n"
