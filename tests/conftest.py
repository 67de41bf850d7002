"""Fixtures that any test may ask for."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest_asyncio

from tests.fakes.simulator import Start, starter


@pytest_asyncio.fixture
async def simulator() -> AsyncGenerator[Start]:
    """Starts simulated servers on free ports: `running = await simulator(script=["429"])`."""
    async with AsyncExitStack() as stack:
        yield starter(stack)
