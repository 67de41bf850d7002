"""The loop of rehearsals for tests: an hour of waiting takes no time, and order is reproducible.

It jumps whenever nothing is ready, so it must not be used with threads (a pending `to_thread` looks
like nothing); tests of stores and servers use the real loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from runner.rehearsal import virtual_time

T = TypeVar("T")
START_US = 1_700_000_000_000_000
"""The same moment for every run."""


class VirtualClock(virtual_time.VirtualClock):
    """The running loop's time as a Clock."""

    def __init__(self) -> None:
        super().__init__(asyncio.get_running_loop(), START_US)


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a fresh virtual loop."""
    return virtual_time.run_virtual(lambda _: main)
