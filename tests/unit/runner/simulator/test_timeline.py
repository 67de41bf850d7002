from runner.simulator.timeline import Timeline
from tests.fakes.virtual_loop import VirtualClock, run_virtual


def test_simulated_time_runs_so_many_times_as_fast():
    async def passed() -> tuple[float, int, float]:
        clock = VirtualClock()
        line = Timeline(clock, scale=10)
        stamp, real = line.now_us(), clock.monotonic()
        await line.sleep(30)
        return line.monotonic(), line.now_us() - stamp, clock.monotonic() - real

    simulated_s, simulated_us, real_s = run_virtual(passed())
    assert (round(simulated_s, 3), round(simulated_us, -3), round(real_s, 3)) == (30, 30_000_000, 3)
