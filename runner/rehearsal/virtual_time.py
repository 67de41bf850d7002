"""An event loop whose clock jumps to the next timer as soon as nothing is left to do.

Limits, backoff, deadlines and latencies all wait on the loop, so a weekend of waiting takes no time
at all, and nothing is distorted by how fast this machine happens to be.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for real only while a thread works for us; else time is what it adds."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.held = 0
        self.ending = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.held > 0:
            return super().select(None if timeout != 0 else 0)
        events = super().select(0)
        if not events and timeout is None and self.ending:
            return super().select(None)
        if not events and timeout is None:
            raise RuntimeError("nothing is ready and nothing is planned: this would wait for ever")
        if not events and timeout is not None and timeout > 0:
            self.now_s += timeout
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` is zero at the start and moves only by jumps."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Virtual seconds since the start."""
        return self._jumping.now_s

    @contextmanager
    def held(self) -> Generator[None]:
        """Time stands still inside: something real is waited for, like a thread's work."""
        self._jumping.held += 1
        try:
            yield
        finally:
            self._jumping.held -= 1

    def end(self) -> None:
        """What is waited for from now on may be threads that end."""
        self._jumping.ending = True


class VirtualClock:
    """The loop's time as a Clock that starts at a moment."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start_us: int) -> None:
        self._loop = loop
        self._start_us = start_us

    def monotonic(self) -> float:
        """Virtual seconds since the start."""
        return self._loop.time()

    def now_us(self) -> int:
        """Virtual microseconds since the epoch."""
        return self._start_us + int(self._loop.time() * 1_000_000)


def run_virtual(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run to the end on a fresh virtual loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)  # noqa: S101  the factory above made it
        try:
            return runner.run(main(loop))
        finally:
            loop.end()
