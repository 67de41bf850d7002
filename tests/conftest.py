"""Fixtures that any test may ask for, and the same surroundings on every machine."""

import os
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest_asyncio
from hypothesis import HealthCheck, settings

from tests.fakes.simulator import Start, starter

_KEPT = re.compile(
    # What finds programs and folders, what tests ask for themselves, and the tools they run under.
    r"PATH|HOME|LANG|TMPDIR|SYSTEMROOT|VIRTUAL_ENV|RUNNER_KILLS(_SEED)?|OUTCOME_FUZZ"
    r"|RUNNER_LITELLM|RUNNER_LLMOCK"
    r"|(PYTEST|COV|COVERAGE|UV)_\w+"
)


def forget_the_machine() -> None:
    """Drop the variables that would change what a test sees: CI, PYTHONUNBUFFERED, proxies, keys.

    One of them hid for long that a sweep ended with the wrong code on every machine without it.
    """
    for name in list(os.environ):
        if not _KEPT.fullmatch(name):
            del os.environ[name]


forget_the_machine()
# No test is timed: an example that is slow on a busy machine is no failure.
settings.register_profile(
    "default",
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)


@pytest_asyncio.fixture
async def simulator() -> AsyncGenerator[Start]:
    """Starts simulated servers on free ports: `running = await simulator(script=["429"])`."""
    async with AsyncExitStack() as stack:
        yield starter(stack)
