"""`runner --help`: complete, true, and without loading what it does not need."""

import subprocess
import sys

import typer.main

from runner import overview
from runner.command_line import app


def _names() -> list[str]:
    return [usage.split()[0] for usage, _ in overview.COMMANDS]


def test_it_names_exactly_the_commands_that_there_are() -> None:
    group = typer.main.get_group(app)
    assert sorted(_names()) == sorted(group.commands)


def test_it_stays_within_a_terminal() -> None:
    assert max(map(len, overview.text().splitlines())) <= 100


def test_help_is_printed_without_loading_a_library() -> None:
    code = (
        "import sys; sys.argv = ['runner', '--help']\n"
        "from runner.cli import main; main()\n"
        "import json; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == overview.text()
    for heavy in ("typer", "duckdb", "pydantic", "numpy", "asyncio", "rich"):
        assert f'"{heavy}"' not in done.stderr
