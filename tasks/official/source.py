"""Where a task finds its published rows."""

from pathlib import Path

from tasks.options import TaskOptions
from tasks.sample import TaskError


def data_path(options: TaskOptions) -> Path:
    """The data file that the options name."""
    if options.data is None:
        raise TaskError("data: is missing; make a file with `runner import KIND FILE`")
    return options.data
