"""Starts the servers that a sweep brings along: the local model's, and the simulator's."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from runner.endpoints.local import local_server
from runner.models.spec import ModelSpec
from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings
from runner.vendors import OwnServer


@asynccontextmanager
async def own_servers(models: Iterable[ModelSpec], db: Path) -> AsyncGenerator[Mapping[str, str]]:
    """Start what these models need, until the end; names in place of base URLs to real ones."""
    needed = {
        model.base_url: model.vendor.own_server
        for model in models
        if model.vendor.own_server is not None and model.base_url == model.vendor.base_url
    }
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(_running(server, db))
            for name, server in needed.items()
        }


@asynccontextmanager
async def _running(server: OwnServer, db: Path) -> AsyncGenerator[str]:
    """The base URL of one server, which runs while the block does."""
    match server:
        case OwnServer.LOCAL_MODEL:
            async with local_server(db.with_name(db.name + ".server.log")) as url:
                yield url
        case OwnServer.SIMULATOR:
            async with serve(SimulatorSettings()) as running:
                yield running.openai_url
