"""The console that tables are printed to: as wide as the terminal, or wide enough when piped."""

import sys

from rich.console import Console

from runner.outlet import outlet

PIPED_COLUMNS = 200
"""Nothing reads the width of a pipe, and a table cut to 80 columns loses its numbers."""


def console() -> Console:
    """A console on standard output."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return Console(file=outlet(sys.stdout), width=width, highlight=False, soft_wrap=False)
