"""A command costs two places: what it does, and its entry, which `--help` and the parser read."""

import sys
from typing import Annotated

import pytest
import typer

from runner import cli
from runner.commands.entry import Commands
from runner.commands.flags import COMMANDS


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The commands that there are, and room for more."""
    commands = Commands(COMMANDS)
    monkeypatch.setattr(cli, "COMMANDS", commands)
    return commands


def _typed(monkeypatch: pytest.MonkeyPatch, *words: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["runner", *words])
    try:
        cli.run()
    except SystemExit as ended:
        return ended.code
    return 0


def test_a_toy_command_is_listed_explained_and_run(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @commands.entry("toy NAME", "says hello, --loud", "runner toy moon")
    def toy(  # pyright: ignore[reportUnusedFunction]  the entry holds it
        name: str, loud: Annotated[bool, typer.Option("--loud", help="Shout.")] = False
    ) -> int:
        """Say hello."""
        sys.stdout.write(f"hello {name.upper() if loud else name}\n")
        return 3

    assert _typed(monkeypatch, "--help") == 0
    assert "\n  toy NAME          says hello, --loud\n" in capsys.readouterr().out
    assert _typed(monkeypatch, "toy", "--help") == 0
    out = capsys.readouterr().out
    assert "Say hello." in out
    assert "--loud" in out
    assert "Example: runner toy moon" in out
    assert _typed(monkeypatch, "toy", "moon", "--loud") == 3
    assert capsys.readouterr().out == "hello MOON\n"


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_every_command_explains_itself_with_an_example(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _typed(monkeypatch, name, "--help") == 0
    assert f"Example: runner {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("sweep --dry-run --rehearse --calibrate 5 --live-sql", ("--dry-run", "--rehearse")),
        ("sweep --dry-run --calibrate 5", ("--calibrate", "--dry-run")),
        ("sweep --rehearse --live-sql", ("--live-sql", "--rehearse")),
        ("sweep --plain --json", ("--plain", "--json")),
        ("sweep --resume --no-resume", ("--resume", "--no-resume")),
        ("rescore x.duckdb --config judges.toml", ("--config", "--judge")),
    ],
)
def test_a_flag_that_does_not_apply_is_refused_in_one_line_that_names_both(
    line: str,
    named: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _typed(monkeypatch, *line.split()) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert all(flag in error for flag in named)
