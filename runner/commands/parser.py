"""What typer makes of the commands: flags are parsed, help is printed, a result is an exit code."""

import functools
from collections.abc import Callable, Iterable
from typing import NoReturn, ParamSpec

import typer

from runner.commands.entry import CommandEntry
from runner.commands.overview import PURPOSE

P = ParamSpec("P")


def make_app(commands: Iterable[CommandEntry]) -> typer.Typer:
    """The command line of these commands."""
    app = typer.Typer(
        name="runner",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=PURPOSE,
    )
    for entry in commands:
        register = app.command(entry.name, epilog=f"Example: {entry.example}")
        register(_exiting(entry.function))
    return app


def _exiting(function: Callable[P, int]) -> Callable[P, NoReturn]:
    """The same function, which ends with its result as the exit code."""

    @functools.wraps(function)
    def run(*args: P.args, **flags: P.kwargs) -> NoReturn:
        raise typer.Exit(function(*args, **flags))

    return run
