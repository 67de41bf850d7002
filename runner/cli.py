"""The front door: the overview at once, all else through the flags of `runner.commands.flags`.

Only the interpreter's own modules are imported here: reading flags takes ten times as long to
import as an overview takes to print.
"""

import os
import sys
from pathlib import Path
from typing import TextIO

from runner.commands import overview
from runner.commands.flags import COMMANDS
from runner.commands.without_pandas import leave_out_pandas
from runner.terminal.literal import take_any_text


def main() -> None:
    """The process that a command line starts."""
    open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        take_any_text(stream)
    leave_out_pandas()
    try:
        run()
    finally:
        let_go_of_the_terminal()


def open_what_is_closed() -> None:
    """Give a standard stream that the caller closed a place to write to, where nobody reads.

    Else whatever file is opened next gets its number, and takes what is printed.
    """
    if sys.stdout is None or sys.stderr is None:
        sys.stdout = sys.stdout or _nowhere()
        sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def let_go_of_the_terminal() -> None:
    """Flush what was printed; where nobody reads it any more, throw it away.

    The interpreter flushes once more as it ends, and where that fails it ends with 120 whatever
    the exit code was: a closed terminal would hide that a sweep can be resumed.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except ValueError:
            continue  # closed already: nothing is left to flush
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def run() -> None:
    """Do what the command line says; every error a user can act on is one line and an exit code."""
    try:
        if sys.argv[1:] in (["--help"], ["-h"]):
            overview.show(COMMANDS)
        elif sys.argv[1:] == ["--version"]:
            overview.show_version()
        else:
            from runner.commands.parser import make_app  # noqa: PLC0415  typer is slow to import

            make_app(COMMANDS)(standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001  the last border: nothing above can report it
        from runner.commands.failure import report  # noqa: PLC0415  as above

        sys.exit(report(error))
