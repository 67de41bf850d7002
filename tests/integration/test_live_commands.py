"""Commands typed beside a running sweep: they answer, and what they count never shrinks."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from state.sharing.quack import token_file
from tests.fakes.sweep_process import environment, server, start, write_config

pytestmark = pytest.mark.loopback
SLOW = """
[default_model]
reply = "OK"
latency = { first_token_s = 0.5 }
"""
COUNT = "select count(*) from attempts"


def typed(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "runner", *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def counted(folder: Path) -> int:
    return int(typed(folder, "sql", COUNT, "--format", "csv").splitlines()[-1])


def test_status_sql_and_report_answer_beside_a_running_sweep(tmp_path: Path):
    with server(tmp_path, SLOW) as books:
        config = write_config(tmp_path, books.origin, repeats=2000, concurrency=4)
        with start(config, "--live-sql") as child:
            assert child.stdout is not None
            while "in flight 4" not in (line := child.stdout.readline()):
                assert line, "the sweep ended before it was asked"
            counts = [counted(tmp_path)]
            for hidden in (False, True):
                if hidden:  # nobody can attach any more: readers take a snapshot
                    token_file(tmp_path / "sweep.duckdb").unlink(missing_ok=True)
                assert "compat/a" in typed(tmp_path, "status")
                counts.append(counted(tmp_path))
                assert "needle_threading.single_needle" in typed(tmp_path, "report")
                counts.append(counted(tmp_path))
            assert child.poll() is None, "the sweep ended before the last command"
            child.send_signal(signal.SIGINT)
            child.stdout.read()
        assert counts == sorted(counts)
        assert counts[0] < counts[-1] <= counted(tmp_path)
