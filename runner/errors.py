"""The errors a user can meet, split by whose fault they are.

    RunnerError
    +-- UsageError          exit 2: a flag, config key, file or environment variable is wrong
    +-- BudgetReached       exit 3: the cap is reached; a larger budget continues
    +-- ProviderStopped     exit 4: a provider stopped for good; its trials stay pending

A failing trial is never an exception: it is a row (see `state.records.Outcome`).
Lower packages raise their own: `tasks.sample.TaskError`, `state.store.StoreError`; the command line
turns both into a UsageError's one line and exit 2.
"""


class RunnerError(Exception):
    """Something the user can act on; the message is one clear line."""

    exit_code = 1


class UsageError(RunnerError):
    """The command, config, file or environment is wrong; nothing was sent."""

    exit_code = 2


class BudgetReached(RunnerError):  # noqa: N818  a state of the sweep, not a mistake
    """Everything that the budget allows is done."""

    exit_code = 3


class ProviderStopped(RunnerError):  # noqa: N818  a state of the sweep, not a mistake
    """A provider account stopped for good: no credit, bad key, daily limit."""

    exit_code = 4
