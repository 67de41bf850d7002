"""Simulated and real results are told apart by what answers, and never mix."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from runner.commands.sweep_flags import planned
from runner.config import parse
from runner.display import choose
from runner.preflight import ask_simulators, is_loopback
from runner.session import RunOptions, run_sweep
from state.reading import open_for_reading
from tests.fakes.plans import plan_of, sweep_text
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://10.0.0.7:8000/v1", False),
        ("http://localhost.example.com/v1", False),
    ],
)
def test_only_this_machine_is_asked(monkeypatch: pytest.MonkeyPatch, url: str, own: bool):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert is_loopback(url) is own


async def swept(url: str, db: Path) -> int:
    text = sweep_text(model="price = 0\n", sweep="repeats = 1").replace(
        "http://127.0.0.1:9/v1", url
    )
    config = parse(text, Path("sweep.toml"))
    end = await run_sweep(config, planned(config), db, choose(plain=True, json=False), RunOptions())
    return end.exit_code


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


async def test_a_simulated_server_is_recognised(simulator: Start, tmp_path: Path):
    running = await simulator()
    db = tmp_path / "a.duckdb"
    assert await swept(running.openai_url, db) == 0
    assert rows(db, "select distinct simulated from cells") == [(True,)]
    assert rows(db, "select distinct simulated from sweeps") == [(True,)]
    # Nothing is left to send, so that nobody is asked who they are.
    entries = len(running.simulator.log.entries)
    assert await swept(running.openai_url, db) == 0
    assert len(running.simulator.log.entries) == entries


async def real_server(port: int) -> web.AppRunner:
    async def reply(_: web.Request) -> web.Response:
        message = {"role": "assistant", "content": "no"}
        usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"id": "1", "model": "m", "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner


async def test_a_real_server_at_the_same_address_starts_anew(simulator: Start, tmp_path: Path):
    runner = await real_server(0)
    port = runner.addresses[0][1]
    url = f"http://127.0.0.1:{port}/v1"
    db = tmp_path / "a.duckdb"
    assert await swept(url, db) == 0
    assert rows(db, "select distinct simulated from cells") == [(False,)]
    await runner.cleanup()
    _, plan = plan_of(sweep_text().replace("http://127.0.0.1:9/v1", url))
    assert await ask_simulators([model.model for model in plan.models]) == frozenset()
    assert rows(db, "select count(*) from trials") == [(6,)]
