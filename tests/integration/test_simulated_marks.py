"""Simulated and real results are told apart by what answers, and never mix."""

import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from queries.catalog import install, shipped
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.endpoints.reach import ask_simulators, is_loopback
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings
from state.sharing.reading import open_for_reading
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


async def swept(url: str, db: Path, tasks: str | None = None, repeats: int = 1) -> int:
    text = sweep_text(model="price = 0\n", sweep=f"repeats = {repeats}", tasks=tasks).replace(
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
    assert await ask_simulators([model.model for model in plan.models]) == {url: False}
    assert rows(db, "select count(*) from trials") == [(6,)]


ALL_KINDS = """
[[tasks]]
name = "needle_threading.single_needle"
size = [800, 1600]
depth = [0, 100]
[[tasks]]
name = "niah.magic_number"
size = 600
depth = [0, 100]
[[tasks]]
name = "flenqa.pir"
size = [250, 500]
padding = "duplicate"
placement = "first"
[[tasks]]
name = "needlechain.forward"
k = 5
"""
OF_THE_MOMENT = re.compile(
    r"_s$|_at$|estimated|reserved|(attempt|sweep|request)_id|started|latency"
)
"""Columns that differ between two runs of one thing."""


def _told(value: object) -> object:
    """A mean without its last digits: they depend on the order in which threads add up."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def shown(db: Path, *, simulated: bool) -> dict[str, list[str]]:
    """The rows of every view that are of one sort, without what depends on the moment."""
    views: dict[str, list[str]] = {}
    with open_for_reading(db, install_views=install) as reader:
        for query in shipped("marts"):
            cursor = reader.connection.execute(f"from {query.name} where simulated = {simulated}")
            names = [column[0] for column in cursor.description or ()]
            kept = [index for index, name in enumerate(names) if not OF_THE_MOMENT.search(name)]
            views[query.name] = sorted(
                repr([_told(row[index]) for index in kept]) for row in cursor.fetchall()
            )
    return views


async def test_one_address_in_one_file_simulated_first_and_real_later(tmp_path: Path):
    both, sham, real = (tmp_path / f"{name}.duckdb" for name in ("both", "sham", "real"))
    settings = SimulatorSettings.model_validate({"default_model": {"reader": {}}})
    async with serve(settings) as running:
        url, port = running.openai_url, running.port
        for db in (both, sham):
            assert await swept(url, db, ALL_KINDS) == 0
    runner = await real_server(port)
    try:
        # One repeat more than there is: something is to be sent, so the server is asked who it is.
        for db in (both, real):
            assert await swept(url, db, ALL_KINDS, repeats=2) == 0
    finally:
        await runner.cleanup()
    assert rows(both, "select simulated, count(*) from sweeps group by all order by 1") == [
        (False, 1),
        (True, 1),
    ]
    mixed = {simulated: shown(both, simulated=simulated) for simulated in (True, False)}
    assert mixed[True]["cell_accuracy"] != mixed[False]["cell_accuracy"] != []
    for simulated, alone in ((True, sham), (False, real)):
        found, wanted = mixed[simulated], shown(alone, simulated=simulated)
        if simulated:
            # Progress is that of the newest run of a sweep, and that one is real.
            assert (found.pop("progress"), len(wanted.pop("progress"))) == ([], 1)
        for name, expected in wanted.items():
            assert found[name] == expected, name
    # No row of any view is neither.
    with open_for_reading(both, install_views=install) as reader:
        for query in shipped("marts"):
            neither = f"from {query.name} where simulated is null"
            assert reader.connection.execute(neither).fetchall() == [], query.name
