"""Forks a `runner sweep` for each line it reads: tens of kills need not import tens of times.

In: a JSON list [folder, log file, kill, argument, ...]; a kill is null or the point, how often it
is passed before, and whether the file is taken for damaged. Out: the child's process id, and after
its end `exit CODE` (negative for a signal). The child is the command line as users have it.
"""

import json
import os
import sys

import genai_prices.data_snapshot
import uvloop

import runner.commands.parser
import runner.commands.sweeps.sweep
import runner.engine.engine
import runner.report.tables
from runner.cli import main
from tests.fakes.kill_points import arm

AT_HAND = (
    runner.commands.sweeps.sweep,
    runner.commands.parser,
    runner.engine.engine,
    runner.report.tables,
    uvloop,
)
"""What each child would import anyway."""


def child(folder: str, log: str, kill: tuple[str, int, bool] | None, arguments: list[str]) -> None:
    """Be `runner ARGUMENTS` in that folder, to its end or to where it is to be killed."""
    if kill is not None:
        name, times, lies = kill
        arm(name, times, lies=lies)
    os.chdir(folder)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    sys.argv = ["runner", *arguments]
    main()


def serve() -> None:
    assert all(AT_HAND)
    genai_prices.data_snapshot.get_snapshot()
    for line in sys.stdin:
        folder, log, kill, *arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            try:
                child(folder, log, kill, arguments)
            except SystemExit as ended:
                sys.stdout.flush()
                os._exit(int(ended.code or 0))
            os._exit(99)
        os.write(1, f"{pid}\n".encode())
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(1, f"exit {code}\n".encode())


if __name__ == "__main__":
    serve()
