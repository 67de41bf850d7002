from pathlib import Path

import aiohttp
import pytest

from runner.config.models import ModelConfig
from runner.endpoints.own import own_servers
from runner.models.spec import resolve

pytestmark = pytest.mark.loopback


async def test_the_simulator_runs_while_the_block_does(tmp_path: Path) -> None:
    models = [resolve(ModelConfig(id=f"sim/{name}"), 0) for name in ("a", "b")]
    async with own_servers(models, tmp_path / "x.duckdb") as addresses:
        assert list(addresses) == ["sim://"]
        url = addresses["sim://"]
        async with aiohttp.ClientSession() as session, session.get(f"{url}/models") as reply:
            assert reply.status == 200
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(f"{url}/models")


async def test_nothing_is_started_for_servers_that_are_there(tmp_path: Path) -> None:
    models = [
        resolve(ModelConfig(id="openai/x"), 0),
        resolve(ModelConfig(id="sim/x", base_url="http://127.0.0.1:1/v1"), 0),
    ]
    async with own_servers(models, tmp_path / "x.duckdb") as addresses:
        assert addresses == {}
