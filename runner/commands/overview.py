"""What `runner --help` prints: every command in one line, without loading any of them."""

import sys
from collections.abc import Sequence

from runner.commands.entry import CommandEntry

PURPOSE = "Measure how much of its context window a language model really uses."


def text(commands: Sequence[CommandEntry]) -> str:
    """The whole page."""
    width = max(len(entry.usage) for entry in commands)
    lines = [f"  {entry.usage:{width}}  {entry.purpose}" for entry in commands]
    return "\n".join(
        [
            "Usage: runner [OPTIONS] COMMAND [ARGS]...",
            "",
            f"  {PURPOSE}",
            "",
            "Options:",
            "  -h, --help  Show this message and exit; after a command: its flags.",
            "  --version   Show the version and exit.",
            "",
            "Commands:",
            *lines,
            "",
            "  Example: runner sweep sweep.toml --dry-run",
            "",
        ]
    )


def show(commands: Sequence[CommandEntry]) -> None:
    """Print it."""
    sys.stdout.write(text(commands))


def show_version() -> None:
    """Print the version that is installed."""
    from importlib.metadata import version  # noqa: PLC0415  the overview does without

    sys.stdout.write(f"runner {version('runner')}\n")
