"""Where time comes from: monotonic seconds for durations, UTC microseconds for stamps."""

import time
from typing import Protocol


class Clock(Protocol):
    """Time as a collaborator, so that tests can own it."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    def now_us(self) -> int:
        """Microseconds since the epoch, UTC."""
        ...


class SystemClock:
    """The machine's own clocks."""

    monotonic = staticmethod(time.monotonic)
    """Seconds since some fixed moment; never goes back."""

    def now_us(self) -> int:
        """Microseconds since the epoch, UTC."""
        return time.time_ns() // 1000
