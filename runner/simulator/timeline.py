"""Simulated time: real time, made faster."""

import asyncio
from collections.abc import Awaitable, Callable

from runner.clock import Clock

Sleep = Callable[[float], Awaitable[None]]


class Timeline:
    """A Clock that runs `scale` times as fast as the one beneath it, and sleeps accordingly."""

    def __init__(self, clock: Clock, scale: float = 1.0, sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._start_s = clock.monotonic()
        self._start_us = clock.now_us()
        self.scale = scale

    def monotonic(self) -> float:
        """Simulated seconds since the start."""
        return (self._clock.monotonic() - self._start_s) * self.scale

    def now_us(self) -> int:
        """Simulated microseconds since the epoch."""
        return self._start_us + int(self.monotonic() * 1_000_000)

    async def sleep(self, seconds: float) -> None:
        """Return when that many simulated seconds have passed."""
        await self._sleep(seconds / self.scale)
