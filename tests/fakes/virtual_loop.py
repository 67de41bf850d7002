"""An event loop whose clock jumps: an hour of waiting takes no time, and order is reproducible.

It jumps whenever nothing is ready, so it must not be used with threads (a pending `to_thread` looks
like nothing); tests of stores and servers use the real loop.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.jumped_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events and timeout is None:
            raise AssertionError("nothing is ready and nothing is planned: a deadlock")
        if not events and timeout is not None and timeout > 0:
            self.jumped_s += timeout
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` is zero at the start and moves only by jumps."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.jumped_s


class VirtualClock:
    """The loop's time as a Clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.get_running_loop()

    def monotonic(self) -> float:
        return self._loop.time()

    def now_us(self) -> int:
        return int(self._loop.time() * 1_000_000) + 1_700_000_000_000_000


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a fresh virtual loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
