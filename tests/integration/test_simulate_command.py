"""`runner simulate` as a process: it says where it is, serves, and stops cleanly."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from runner.commands.setup.simulate import run
from runner.errors import UsageError

pytestmark = pytest.mark.loopback
CODE = "import sys; from pathlib import Path; from runner.commands.setup.simulate import run; "
CONFIG = """
[default_model]
reply = "hi"
price = { input = 1, output = 1 }
script = ["stall"]
"""


@asynccontextmanager
async def process(config: Path) -> AsyncGenerator[tuple[Process, str]]:
    code = f"{CODE} sys.exit(run(port=0, config=Path(sys.argv[1])))"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(config), stdout=PIPE, stderr=PIPE
    )
    try:
        assert child.stdout is not None
        first = (await child.stdout.readline()).decode()
        yield child, next(word for word in first.split() if word.startswith("http://"))
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_serves_and_stops_even_with_a_stalled_request(tmp_path: Path, number: int):
    config = tmp_path / "simulator.toml"
    config.write_text(CONFIG, encoding="utf-8")
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    async with process(config) as (child, origin), aiohttp.ClientSession() as session:
        url = f"{origin}/v1/chat/completions"

        async def stalled() -> None:
            with pytest.raises(aiohttp.ClientError):
                await session.post(url, json=body)

        async with asyncio.TaskGroup() as group:
            group.create_task(stalled())
            while True:
                async with session.get(f"{origin}/simulator/bill") as response:
                    bill = await response.json()
                if bill["requests"] == 1:
                    break
            async with session.post(url, json=body) as response:
                assert (await response.json())["choices"][0]["message"]["content"] == "hi"
            async with session.get(f"{origin}/simulator/log") as response:
                lines = [json.loads(line) for line in (await response.text()).splitlines()]
            assert [line["fault"] for line in lines] == ["stall", "ok"]
            child.send_signal(number)
        out, err = await child.communicate()
        assert child.returncode == 0
        assert b"2 requests, 2 billed" in out
        assert err == b""


def test_a_taken_port_is_a_usage_error():
    with pytest.raises(UsageError, match="cannot listen"):
        run(host="203.0.113.1", port=1)


def test_a_wrong_config_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match="absent"):
        run(port=0, config=tmp_path / "absent.toml")
