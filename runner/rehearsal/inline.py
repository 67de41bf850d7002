"""An executor without threads: virtual time does not wait for them."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class InlineExecutor(Executor):
    """Runs at once, in the calling thread."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The finished future; an error of the function is raised here."""
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future
