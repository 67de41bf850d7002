"""The transports that a config can choose."""

import importlib
import importlib.util

from runner.clock import Clock
from runner.errors import UsageError
from runner.providers.transport import AiohttpTransport, Transport


def require_transport(name: str, where: str) -> None:
    """Raise UsageError with one line when a transport is not installed."""
    if name != "aiohttp" and importlib.util.find_spec(name) is None:
        raise UsageError(
            f'{where}: sweep.transport: "{name}" is not installed; install the extra runner[fast] '
            "(in a clone: `uv sync --extra fast`), or leave the key out for aiohttp"
        )


def open_transport(name: str, clock: Clock) -> Transport:
    """A pool of connections by its name in configs, which must be installed."""
    if name == "aiohttp":
        return AiohttpTransport(clock)
    # Imported when chosen, since it is an extra.
    return importlib.import_module("runner.providers.wreq_transport").WreqTransport(clock)
