"""Simulated servers for tests: started in the test's own loop, stopped with it."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from runner.simulator.core import Simulator
from runner.simulator.server import Running, serve
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from runner.simulator.timeline import Timeline

Start = Callable[..., Awaitable[Running]]


class ManualClock:
    """Time that moves when the test says so."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def now_us(self) -> int:
        return 1_700_000_000_000_000 + int(self.now_s * 1_000_000)


def make_settings(**model: Any) -> SimulatorSettings:
    """Every model is like this one; reader's answers are replaced by `OK` unless told otherwise."""
    model.setdefault("reply", "OK")
    return SimulatorSettings(default_model=ModelSettings.model_validate(model))


def make_simulator(settings: SimulatorSettings) -> tuple[Simulator, ManualClock]:
    """A simulator without sockets, in manual time."""
    clock = ManualClock()
    return Simulator(settings, Timeline(clock)), clock


def starter(stack: AsyncExitStack) -> Start:
    """`await start(SimulatorSettings(...))`, or `await start(script=["429", "ok"])`."""

    async def start(settings: SimulatorSettings | None = None, **model: Any) -> Running:
        if settings is None:
            settings = make_settings(**model)
        return await stack.enter_async_context(serve(settings))

    return start
