"""Time that jumps: over timers, never over real work, and not for ever."""

import asyncio

import pytest

from runner.rehearsal.virtual_time import VirtualClock, VirtualLoop, run_virtual


def test_a_clock_starts_at_its_moment_and_jumps_with_the_loop():
    async def main(loop: VirtualLoop) -> tuple[float, int]:
        clock = VirtualClock(loop, 7)
        await asyncio.sleep(3600)
        return clock.monotonic(), clock.now_us()

    assert run_virtual(main) == (pytest.approx(3600), pytest.approx(3600 * 10**6 + 7))


def test_a_deadlock_is_said_instead_of_waited_for():
    async def main(loop: VirtualLoop) -> None:
        await loop.create_future()

    with pytest.raises(RuntimeError, match="nothing is planned"):
        run_virtual(main)
