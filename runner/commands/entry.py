"""A command as the command line knows it; the standard library's quickest modules are enough."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., int])


class CommandEntry(NamedTuple):
    """How a command is called, what it is for, and the function whose parameters are its flags."""

    usage: str
    purpose: str
    example: str
    function: Callable[..., int]

    @property
    def name(self) -> str:
        """What is typed after `runner`."""
        return self.usage.partition(" ")[0]


class Commands(list[CommandEntry]):
    """All commands, in the order in which they are listed."""

    def entry(self, usage: str, purpose: str, example: str) -> Callable[[Function], Function]:
        """Enter the function below as a command; its docstring is the first line of its help."""

        def enter(function: Function) -> Function:
            self.append(CommandEntry(usage, purpose, example, function))
            return function

        return enter


class _Deferred:
    """`typer`, imported when something of it is asked for: the overview never does."""

    def __getattr__(self, name: str) -> Any:
        import typer as library  # noqa: PLC0415  ten times as slow as printing the overview

        return getattr(library, name)


typer: Any = _Deferred()
