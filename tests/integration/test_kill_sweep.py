"""kill -9 of real sweeps at random moments; the simulator's own bill is the judge.

RUNNER_KILLS sets how many kills, RUNNER_KILLS_SEED when they come; the defaults fit a normal test
run.
"""

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from state.sharing.reading import open_for_reading
from tests.fakes.sweep_process import KEY, Forker, Server, forker, server, write_config

pytestmark = pytest.mark.loopback
KILLS = int(os.environ.get("RUNNER_KILLS", "6"))
SEED = int(os.environ.get("RUNNER_KILLS_SEED", "1"))
CONCURRENCY = 8
SETTINGS = """
[default_model]
reply = "OK"
latency = { first_token_s = 0.2, sigma = 0.5 }
price = { input = 1.0, output = 2.0 }
faults = { reset = 0.02, "no usage" = 0.02, "503" = 0.03 }
"""


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


def wait_for(server: Server, requests: int) -> None:
    """Until that many have arrived; the sweep that sends them is under way."""
    deadline = time.monotonic() + 200
    while server.bill()["requests"] < requests and time.monotonic() < deadline:
        time.sleep(0.02)


def kill_at_random(fork: Forker, books: Server, luck: random.Random) -> None:
    pid = fork.begin()
    wait_for(books, books.bill()["requests"] + luck.randrange(1, 30))
    time.sleep(luck.random() * 0.2)
    os.kill(pid, signal.SIGKILL)
    assert fork.wait() in {-signal.SIGKILL, 0}


def calls(books: Server) -> list[dict[str, Any]]:
    """What was asked of a model; pages are no calls."""
    return [entry for entry in books.log() if entry["outcome"] != "page"]


def killed_calls(db: Path) -> int:
    found = rows(db, "select count(*) from attempts where outcome = 'cancelled:killed'")
    return int(found[0][0])


def test_kills_lose_no_row_pay_nothing_twice_and_are_visible(tmp_path: Path):
    """Each kill costs at most what was in flight, and every request is a row in the end."""
    luck = random.Random(SEED)
    db = tmp_path / "sweep.duckdb"
    with server(tmp_path, SETTINGS) as books, forker(tmp_path) as fork:
        repeats = 15 * KILLS
        write_config(tmp_path, books.origin, repeats=repeats, concurrency=CONCURRENCY)
        for _ in range(KILLS):
            kill_at_random(fork, books, luck)
        assert fork.run() in {0, 5}
        requests = books.bill()["requests"]
        assert fork.run() in {0, 5}
        assert books.bill()["requests"] == requests, "nothing is sent when nothing is missing"
        log = calls(books)
    planned = repeats * 4
    query = "select count(*), count(distinct trial_id) from attempts where final"
    assert rows(db, query) == [(planned, planned)]
    killed = killed_calls(db)
    assert 0 < killed <= KILLS * CONCURRENCY
    query = "select bool_and(maybe_billed and cost_pusd is null) from attempts"
    assert rows(db, f"{query} where outcome = 'cancelled:killed'") == [(True,)]
    # A request that arrived is an attempt; an attempt that was killed may not have arrived.
    attempts = rows(db, "select count(*) from attempts")[0][0]
    assert attempts - killed <= len(log) <= attempts
    paid_once(db, log)


def paid_once(db: Path, log: list[dict[str, Any]]) -> None:
    """Our known costs and the provider's bill differ by no more than what is marked as unknown."""
    known, held = rows(
        db,
        "select sum(coalesce(a.cost_pusd, 0)),"
        " sum(case when a.maybe_billed then r.reserved_pusd else 0 end)"
        " from attempts a join reservations r using (attempt_id)",
    )[0]
    billed = sum(entry["cost_pusd"] for entry in log if entry["billed"])
    assert known <= billed <= known + held
    doubled = rows(
        db,
        "select count(*) from (select trial_id from attempts where cost_pusd > 0"
        " and outcome = 'answered' group by trial_id having count(*) > 1)",
    )
    assert doubled == [(0,)]


def test_the_budget_holds_through_kills(tmp_path: Path):
    luck = random.Random(SEED + 1000)
    db = tmp_path / "sweep.duckdb"
    with server(tmp_path, SETTINGS) as books, forker(tmp_path) as fork:
        budget = 'budget = "0.25usd"'
        write_config(tmp_path, books.origin, repeats=1000, concurrency=CONCURRENCY, budget=budget)
        for _ in range(max(3, KILLS // 4)):
            kill_at_random(fork, books, luck)
            assert books.bill()["cost_pusd"] <= 250_000_000_000
        assert fork.run() == 3
        assert books.bill()["cost_pusd"] <= 250_000_000_000
        more = books.bill()["requests"]
        assert fork.run() == 3
        assert books.bill()["requests"] == more
        paid_once(db, calls(books))
    assert rows(db, "select committed <= 0.25 from spend") == [(True,)]
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name
