"""Servers that a sweep brings along: the local model's, and the simulator's."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from runner.endpoints.local import local_server
from runner.models.spec import ModelSpec
from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings

LOCAL = "local://"
SIM = "sim://"


@asynccontextmanager
async def own_servers(models: Iterable[ModelSpec], db: Path) -> AsyncGenerator[Mapping[str, str]]:
    """Start what these models need; `local://` and `sim://` to real addresses, until the end."""
    needed = {model.base_url for model in models}
    addresses: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        if LOCAL in needed:
            log = db.with_name(db.name + ".server.log")
            addresses[LOCAL] = await stack.enter_async_context(local_server(log))
        if SIM in needed:
            running = await stack.enter_async_context(serve(SimulatorSettings()))
            addresses[SIM] = running.openai_url
        yield addresses
