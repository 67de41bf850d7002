"""Real sweeps over torn files, over a WAL nobody can read, and in a folder shut to them."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from state.database.migrate import LATEST, _apply, migrations
from state.sharing.reading import open_for_reading
from tests.fakes.sweep_process import (
    Server,
    environment,
    forker,
    server,
    start,
    write_config,
)

pytestmark = pytest.mark.loopback
FAST = """
[default_model]
reply = "OK"
price = { input = 1.0, output = 2.0 }
"""
SLOW = FAST + "latency = { first_token_s = 0.5 }\n"
PLANNED = 80
"""Two sizes, two depths, 20 repeats."""
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


def whole_in_the_end(db: Path) -> None:
    query = "select count(distinct trial_id) from attempts where final"
    assert rows(db, query) == [(PLANNED,)]
    assert rows(db, "select outcome, count(*) from trial_results group by all") == [
        ("answered", PLANNED)
    ]


def torn(db: Path) -> None:
    os.truncate(db, db.stat().st_size // 2)


def scribbled(db: Path) -> None:
    with db.open("r+b") as file:
        file.seek(db.stat().st_size // 4)
        file.write(os.urandom(db.stat().st_size // 2))


@pytest.mark.parametrize("damage", [torn, scribbled])
def test_a_torn_database_is_kept_aside_and_the_sweep_goes_on(tmp_path: Path, damage: Any):
    db = tmp_path / "sweep.duckdb"
    with server(tmp_path, FAST) as books, forker(tmp_path) as fork:
        write_config(tmp_path, books.origin)
        assert fork.run() == 0
        paid = books.bill()["requests"]
        damage(db)
        broken = db.stat().st_size
        assert fork.run() == 0, fork.log.read_text()
        again = books.bill()["requests"] - paid
        assert again <= PLANNED
        assert fork.run() == 0
        assert books.bill()["requests"] == paid + again, "nothing is missing any more"
    said = fork.log.read_text()
    assert "was damaged and is kept as sweep.duckdb.damaged-" in said
    assert "Traceback" not in said
    assert next(tmp_path.glob("sweep.duckdb.damaged-*")).stat().st_size == broken
    whole_in_the_end(db)
    query = "select count(*), count(distinct attempt_id) from attempts"
    attempts, names = rows(db, query)[0]
    assert attempts == names, "nothing that was salvaged is in the way of what was asked again"


def wait_for_wal(books: Server, wal: Path, requests: int) -> None:
    """Until some of what is sent has reached the WAL."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        if books.bill()["requests"] >= requests and wal.exists() and wal.stat().st_size:
            return
        time.sleep(0.02)


def test_a_wal_that_cannot_be_read_loses_nothing(tmp_path: Path):
    db, wal = tmp_path / "sweep.duckdb", tmp_path / "sweep.duckdb.wal"
    with server(tmp_path, SLOW) as books, forker(tmp_path) as fork:
        write_config(tmp_path, books.origin)
        pid = fork.begin()
        wait_for_wal(books, wal, 24)
        os.kill(pid, signal.SIGKILL)
        fork.wait()
        before = books.bill()["requests"]
        wal.write_bytes(os.urandom(wal.stat().st_size))
        assert fork.run() == 0
        assert fork.run() == 0
        # What was in flight at the kill is asked again, and nothing else.
        assert PLANNED <= books.bill()["requests"] <= PLANNED + 8
        assert before < PLANNED
    assert "Traceback" not in fork.log.read_text()
    whole_in_the_end(db)


def without_override() -> None:
    """Be bound by permissions even as root; a user is anyway."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_sent(tmp_path: Path, exists: bool):
    folder = tmp_path / "shut"
    folder.mkdir()
    with server(tmp_path, FAST) as books:
        config = write_config(folder, books.origin)
        if exists:
            with forker(folder) as fork:
                assert fork.run() == 0
            write_config(folder, books.origin, repeats=40)
        before, files = books.bill()["requests"], sorted(folder.iterdir())
        folder.chmod(0o555)
        try:
            with start(config, preexec_fn=without_override) as child:
                said, _ = child.communicate(timeout=300)
        finally:
            folder.chmod(0o755)
        assert (child.returncode, books.bill()["requests"]) == (2, before), said
    assert "sweep.duckdb: cannot be written, since its folder cannot be: Permission denied" in said
    assert "Traceback" not in said
    assert sorted(folder.iterdir()) == files


def old_file(path: Path, schema: int) -> None:
    """What an earlier runner left, under a schema that had so many steps."""
    with duckdb.connect(str(path)) as connection:
        for step in migrations()[:schema]:
            _apply(connection, step)
        connection.execute("INSERT INTO meta VALUES ('store_id', 'old')")


@pytest.mark.parametrize("schema", range(1, LATEST + 1))
def test_a_file_of_an_older_schema_is_read_in_a_folder_that_cannot_be_written(
    tmp_path: Path, schema: int
):
    folder = tmp_path / "shut"
    folder.mkdir()
    db = folder / "old.duckdb"
    old_file(db, schema)
    before = db.read_bytes()
    folder.chmod(0o555)
    db.chmod(0o444)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "runner", "sql", str(db), "select count(*) from trial_results"],
            env=environment(),
            preexec_fn=without_override,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        folder.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == "0"
    assert [file.name for file in folder.iterdir()] == ["old.duckdb"]
    assert db.read_bytes() == before


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_result_file_that_goes_away_under_a_sweep_loses_nothing_that_is_paid(
    tmp_path: Path, how: str
):
    db, wal = tmp_path / "sweep.duckdb", tmp_path / "sweep.duckdb.wal"
    with server(tmp_path, SLOW) as books, forker(tmp_path) as fork:
        write_config(tmp_path, books.origin, repeats=1000)
        fork.begin()
        wait_for_wal(books, wal, 24)
        before = books.bill()["requests"]
        db.unlink()
        if how == "replaced":
            db.write_bytes(b"something else")
        assert fork.wait() == 2
        sent = books.bill()["requests"]
        said = fork.log.read_text()
        paid = {call["cost_pusd"] for call in books.log() if call["outcome"] != "page"}
    assert f"was {how} while a sweep was writing to it" in said
    assert "Traceback" not in said
    # Noticed at the next look, twice a second; eight slots of half a second send 16 in one.
    assert sent - before <= 100
    assert all(paid)
    (kept,) = tmp_path.glob("sweep.duckdb.kept-*")
    assert kept.name in said
    query = "select count(*) from attempts where outcome = 'answered' and cost_pusd > 0"
    assert rows(kept, query) == [(sent,)]
    if how == "replaced":
        assert db.read_bytes() == b"something else"
    db.unlink(missing_ok=True)
    kept.rename(db)
    query = "select count(distinct trial_id) from attempts where final"
    assert rows(db, query) == [(sent,)]
