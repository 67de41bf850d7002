"""How a real sweep ends when it is told to: drained, cancelled, hung up, shut out, out of disk."""

import fcntl
import os
import pty
import resource
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from state.sharing.reading import open_for_reading
from tests.fakes.sweep_process import (
    Forker,
    Server,
    environment,
    forker,
    server,
    start,
    sweep_command,
    write_config,
)

pytestmark = pytest.mark.loopback
SLOW = """
[default_model]
reply = "OK"
latency = { first_token_s = 1.5 }
price = { input = 1.0, output = 2.0 }
"""


def wait_for(books: Server, requests: int) -> None:
    deadline = time.monotonic() + 200
    while books.bill()["requests"] < requests and time.monotonic() < deadline:
        time.sleep(0.02)


def outcomes(db: Path) -> dict[str, int]:
    with open_for_reading(db) as reader:
        query = "select outcome, count(*) from attempts group by all"
        return dict(reader.connection.execute(query).fetchall())


def interrupted(fork: Forker, books: Server, *signals: signal.Signals) -> int:
    pid = fork.begin()
    wait_for(books, books.bill()["requests"] + 8)
    for number in signals:
        os.kill(pid, number)
        time.sleep(0.3)
    return fork.wait()


def test_every_way_to_stop_a_sweep_leaves_a_file_that_goes_on(tmp_path: Path):
    db = tmp_path / "sweep.duckdb"
    with server(tmp_path, SLOW) as books, forker(tmp_path) as fork:
        write_config(tmp_path, books.origin, repeats=20, concurrency=8)
        assert interrupted(fork, books, signal.SIGINT) == 130
        assert set(outcomes(db)) == {"answered"}
        assert interrupted(fork, books, signal.SIGINT, signal.SIGINT) == 130
        cancelled = outcomes(db)["cancelled"]
        assert 1 <= cancelled <= 8
        assert interrupted(fork, books, signal.SIGTERM) == 130
        assert interrupted(fork, books, signal.SIGHUP) == 130
        assert outcomes(db)["cancelled"] == cancelled, "they were given time to finish"
        assert not list(tmp_path.glob("sweep.duckdb.journal-*"))
        write_config(tmp_path, books.origin, repeats=20, depth="[0, 100]", concurrency=8)
        fork.run()
        assert "2 cells kept, 2 added, 2 dropped" in fork.log.read_text()


def test_a_closed_terminal_and_ctrl_c_typed_into_one(tmp_path: Path):
    with server(tmp_path, SLOW) as books:
        config = write_config(tmp_path, books.origin, repeats=50, concurrency=8)
        command = sweep_command(config)
        for typed in (b"\x03\x03", None):
            ours, theirs = pty.openpty()
            before = books.bill()["requests"]
            with subprocess.Popen(
                command,
                cwd=tmp_path,
                env=environment(),
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
                preexec_fn=take_terminal,  # noqa: PLW1509  the tests have no threads
            ) as child:
                os.close(theirs)
                wait_for(books, before + 8)
                if typed is not None:
                    os.write(ours, typed[:1])
                    time.sleep(0.3)
                    os.write(ours, typed[1:])
                    drain(ours)
                os.close(ours)
                assert child.wait(timeout=200) == 130
    assert outcomes(tmp_path / "sweep.duckdb")["answered"] > 0


def take_terminal() -> None:
    """Make standard input the controlling terminal, so that keys and hang-ups become signals."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def drain(terminal: int) -> None:
    """Read what is shown until the other side is closed."""
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        return


def test_a_second_writer_is_told_who_the_first_one_is(tmp_path: Path):
    with server(tmp_path, SLOW) as books, forker(tmp_path) as fork:
        config = write_config(tmp_path, books.origin, repeats=50)
        pid = fork.begin()
        wait_for(books, 1)
        with start(config) as second:
            said, _ = second.communicate(timeout=200)
        assert second.returncode == 2
        assert f"process {pid} is writing to it" in said
        os.kill(pid, signal.SIGKILL)
        fork.wait()


def small_files() -> None:
    """No file may grow beyond this: what a full disk looks like to a program."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))


def test_a_full_disk_ends_the_sweep_with_one_line_and_loses_nothing(tmp_path: Path):
    fast = SLOW.replace("1.5", "0.0")
    planned = 4 * 1500
    with server(tmp_path, fast) as books:
        config = write_config(tmp_path, books.origin, repeats=1500, concurrency=64)
        with start(config, preexec_fn=small_files) as child:
            said, _ = child.communicate(timeout=300)
        sent = books.bill()["requests"]
        assert 0 < sent < planned
        assert child.returncode == 2, said
        assert "sweep.duckdb: cannot be written: File too large; sending has stopped" in said
        assert "the same command goes on" in said
        assert "Traceback" not in said
        assert not (tmp_path / "runner-error.log").exists()
        with start(config) as again:
            said, _ = again.communicate(timeout=300)
        assert again.returncode == 0, said
        assert books.bill()["requests"] <= planned + 64, "only what was in flight is asked again"
        requests = books.bill()["requests"]
        with start(config) as again:
            said, _ = again.communicate(timeout=300)
        assert (again.returncode, books.bill()["requests"]) == (0, requests), said
    found = outcomes(tmp_path / "sweep.duckdb")
    assert found["answered"] == planned
    assert sum(found.values()) >= requests
    assert found.get("cancelled:killed", 0) <= 64
