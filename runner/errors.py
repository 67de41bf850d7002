"""The errors a user can meet, split by whose fault they are.

    RunnerError
    +-- UsageError          exit 2: a flag, config key, file or environment variable is wrong

A failing trial is never an exception: it is a row (see `state.records.Outcome`). Nor is a sweep
that ended at its budget or with a stopped provider: `runner.engine.engine.SweepEnd` has their exit
codes.
Lower packages raise their own: `tasks.sample.TaskError`, `state.store.StoreError`; the command line
turns both into a UsageError's one line and exit 2.
"""


class RunnerError(Exception):
    """Something the user can act on; the message is one clear line."""

    exit_code = 1


class UsageError(RunnerError):
    """The command, config, file or environment is wrong; nothing was sent."""

    exit_code = 2
