"""The front door: the overview at once, everything else through the flags of `command_line`.

Only the interpreter's own modules are imported here: reading flags takes ten times as long to
import as an overview takes to print.
"""

import importlib
import sys

from runner import overview
from runner.without_pandas import leave_out_pandas


def main() -> None:
    """The process that a command line starts."""
    leave_out_pandas()
    run()


def run() -> None:
    """Do what the command line says; every error a user can act on is one line and an exit code."""
    try:
        if sys.argv[1:] in (["--help"], ["-h"]):
            overview.show()
        else:
            importlib.import_module("runner.command_line").app(standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001  the last border: nothing above can report it
        sys.exit(importlib.import_module("runner.commands.failure").report(error))
