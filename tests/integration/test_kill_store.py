"""kill -9 at any moment: what was acknowledged is there, whole, once."""

import subprocess
import sys
from pathlib import Path

import pytest

from state.sharing.lock import writer_pid
from state.sharing.reading import open_for_reading
from state.stores.duck import DuckStore
from tests.fakes.no_views import no_views
from tests.integration.store_child import IN_FLIGHT

ROOT = Path(__file__).parents[2]


def write_until(path: Path, run: str, lines: int) -> list[str]:
    """Run a writer, kill it after so many lines, and return all that it said."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.store_child", str(path), run],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        said = [child.stdout.readline().strip() for _ in range(lines)]
        assert all(said), "it was still writing when it was killed"
        child.kill()
        said += child.stdout.read().split("\n")[:-1]
    return said


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def attempts_said(said: list[str], word: str) -> set[str]:
    return {line.partition(" ")[2] for line in said if line.startswith(word)}


@pytest.mark.parametrize("lines", [1, 37, 411, 2222])
async def test_nothing_acknowledged_is_lost_by_a_kill(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "results.duckdb"
    said = write_until(path, "first", lines)
    started, done = attempts_said(said, "started"), attempts_said(said, "done")

    store = DuckStore.open(path, install_views=no_views, create=False)
    with store.cursor() as cursor:
        found = dict(cursor.execute("SELECT attempt_id, outcome FROM attempts").fetchall())
        replied = [r[0] for r in cursor.execute("SELECT attempt_id FROM completions").fetchall()]
        trials = cursor.execute("SELECT count(*), count(DISTINCT trial_id) FROM trials").fetchall()
        reserved = [r[0] for r in cursor.execute("SELECT attempt_id FROM reservations").fetchall()]
        killed = cursor.execute(
            "SELECT count(*), bool_and(maybe_billed AND NOT final AND cost_pusd IS NULL)"
            " FROM attempts WHERE outcome = 'cancelled:killed'"
        ).fetchall()[0]
    assert done <= {attempt for attempt, outcome in found.items() if outcome == "answered"}
    assert started <= set(reserved)
    assert len(reserved) == len(set(reserved)) == len(found) == trials[0][0] == trials[0][1]
    assert set(reserved) == set(found), "each call that was begun has an end"
    assert sorted(replied) == sorted(a for a, outcome in found.items() if outcome == "answered")
    assert killed[0] <= IN_FLIGHT
    assert killed[1] in {True, None}
    await store.aclose()

    again = DuckStore.open(path, install_views=no_views, create=False)
    assert again.notices == []
    await again.aclose()
    assert names(tmp_path) == ["results.duckdb"]


def test_kill_after_kill_loses_and_doubles_nothing(tmp_path: Path) -> None:
    path = tmp_path / "results.duckdb"
    done = set[str]()
    for run, lines in (("a", 300), ("b", 5), ("c", 900)):
        done |= attempts_said(write_until(path, run, lines), "done")
    assert writer_pid(path) is None
    with open_for_reading(path) as reader:
        assert reader.notice is not None
        assert "rows restored from the journal" in reader.notice
        answered = reader.connection.execute(
            "SELECT attempt_id FROM attempts WHERE outcome = 'answered'"
        ).fetchall()
        counts = reader.connection.execute(
            "SELECT (SELECT count(*) FROM reservations) - (SELECT count(*) FROM attempts),"
            " (SELECT count(*) - count(DISTINCT attempt_id) FROM attempts),"
            " (SELECT count(*) - count(DISTINCT trial_id) FROM trials),"
            " (SELECT count(*) - count(DISTINCT trial_id) FROM scores)"
        ).fetchall()
    assert done <= {row[0] for row in answered}
    assert counts == [(0, 0, 0, 0)]
