"""Torn files: nothing durable is lost while the journal has it, and what is broken is kept."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from queries.catalog import install, shipped
from runner.cli import run
from state.database import opening, recovery, repair
from state.database.gather import gather
from state.database.load import Loader, sql
from state.journal.journal import Journal, JournalEntry, encode, grouped
from state.sharing.reading import open_for_reading
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.no_views import no_views

TRIALS = 6_000


def open_store(path: Path) -> DuckStore:
    return DuckStore.open(path, install_views=no_views, create=True)


async def fill(store: DuckStore, first: int, count: int, *, hash_bytes: int = 16) -> None:
    await store.append(
        *(
            row
            for n in range(first, first + count)
            for row in (
                rows.trial(f"t{n}", repeat=n, prompt_hash=os.urandom(hash_bytes).hex()),
                rows.start(f"a{n}", trial_id=f"t{n}"),
                rows.attempt(f"a{n}", trial_id=f"t{n}"),
            )
        )
    )


async def as_if_killed(tmp_path: Path, *, trials: int = 200) -> Path:
    """A database, its WAL and its journal as a kill would leave them."""
    live = tmp_path / "live" / "a.duckdb"
    live.parent.mkdir()
    store = open_store(live)
    await store.append(rows.sweep(), rows.cell())
    await fill(store, 0, trials)
    store.flush()
    dead = tmp_path / "dead"
    dead.mkdir()
    for file in filter(Path.is_file, live.parent.iterdir()):
        shutil.copy(file, dead / file.name)
    await store.aclose()
    return dead / "a.duckdb"


def kept_aside(folder: Path) -> bytes:
    return next(folder.glob("a.duckdb.damaged-*")).read_bytes()


def unreadable(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.glob("*.unreadable-*")]


def counts(store: DuckStore) -> tuple[int, ...]:
    with store.cursor() as cursor:
        return cursor.execute(
            "SELECT (SELECT count(*) FROM trials), (SELECT count(*) FROM reservations),"
            " (SELECT count(DISTINCT attempt_id) FROM attempts), (SELECT count(*) FROM sweeps)"
        ).fetchall()[0]


async def test_rows_already_loaded_are_not_loaded_again(tmp_path: Path) -> None:
    path = await as_if_killed(tmp_path)
    store = open_store(path)
    assert store.notices == []
    assert counts(store) == (200, 200, 200, 1)
    await store.aclose()


@pytest.mark.parametrize("how", ["gone", "garbage", "middle", "torn"])
async def test_an_unreadable_wal_loses_nothing(tmp_path: Path, how: str) -> None:
    path = await as_if_killed(tmp_path)
    wal = path.with_name("a.duckdb.wal")
    content = bytearray(wal.read_bytes())
    if how == "gone":
        wal.unlink()
    elif how == "garbage":
        wal.write_bytes(b"garbage" * 1000)
    elif how == "torn":
        wal.write_bytes(content[:-1000])
    else:
        middle = len(content) // 2
        content[middle : middle + 500] = os.urandom(500)
        wal.write_bytes(content)
    store = open_store(path)
    assert any("rows restored from the journal" in notice for notice in store.notices)
    assert counts(store) == (200, 200, 200, 1)
    kept = [file.name for file in path.parent.iterdir() if "damaged" in file.name]
    assert len(kept) == (how == "middle")
    await store.aclose()


async def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path = await as_if_killed(tmp_path)
    path.with_name("a.duckdb.wal").unlink()
    (journal,) = path.parent.glob("*.journal-*")
    with journal.open("ab") as file:
        file.write(b'[99,[["trials","cut')
    store = open_store(path)
    assert len(store.notices) == 1, store.notices
    assert counts(store) == (200, 200, 200, 1)
    await store.append(rows.trial("next"))
    await store.aclose()


@pytest.mark.parametrize("content", [b"", b'{"runner_jour'])
async def test_a_segment_that_was_only_begun_is_dropped(tmp_path: Path, content: bytes) -> None:
    path = await as_if_killed(tmp_path)
    path.with_name("a.duckdb.journal-000000000099").write_bytes(content)
    store = open_store(path)
    assert store.notices == []
    assert counts(store) == (200, 200, 200, 1)
    await store.aclose()


async def test_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    path = await as_if_killed(tmp_path)
    path.with_name("a.duckdb.wal").unlink()
    (journal,) = path.parent.glob("*.journal-*")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b"\x00\x00\x00\n", *lines[1:]]))
    store = open_store(path)
    assert counts(store) == (200, 200, 200, 1)
    assert any("journal lines that could not be read: 1" in notice for notice in store.notices)
    assert next(path.parent.glob("*.unreadable-*")).read_bytes() == b"\x00\x00\x00\n"
    await store.aclose()


async def test_an_append_that_no_table_takes_does_not_block_the_others(tmp_path: Path) -> None:
    path = await as_if_killed(tmp_path)
    path.with_name("a.duckdb.wal").unlink()
    (journal,) = path.parent.glob("*.journal-*")
    with journal.open("ab") as file:
        file.write(b'[98,{"pending":[["s","m","pending:budget","many",0]]}]\n')
        file.write(b'[99,{"pending":[["s","m","pending:budget",7,0]]}]\n')
    store = open_store(path)
    assert counts(store) == (200, 200, 200, 1)
    with store.cursor() as cursor:
        assert cursor.execute("SELECT trials FROM pending").fetchall() == [(7,)]
    assert any("could not be read" in notice for notice in store.notices)
    await store.aclose()


@pytest.mark.parametrize("how", ["cut", "header", "magic", "middle"])
async def test_a_torn_file_is_kept_and_rebuilt(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.sweep(), rows.cell())
    await fill(store, 0, TRIALS)
    await store.aclose()
    before = bytearray(path.read_bytes())
    if how == "cut":
        del before[len(before) // 2 :]
    elif how == "header":
        before[4096:12288] = bytes(8192)
    elif how == "magic":
        before[:4096] = bytes(4096)
        (tmp_path / "a.duckdb.journal-000000000001").write_bytes(
            b'{"runner_journal":2,"store":"some"}\n[1,{"sweep_cells":[["s","c",1]]}]\n'
        )
    else:
        first, end = len(before) // 5, len(before) * 4 // 5
        before[first:end] = os.urandom(end - first)
    path.write_bytes(before)

    store = open_store(path)
    assert "was damaged and is kept as" in store.notices[0]
    assert kept_aside(tmp_path) == bytes(before)
    assert counts(store)[0] <= TRIALS
    await store.append(rows.sweep("new"))
    await store.aclose()
    with open_for_reading(path) as reader:
        assert reader.notice is None
        found = reader.connection.execute("SELECT count(*) FROM sweeps WHERE sweep_id = 'new'")
        assert found.fetchall() == [(1,)]


async def test_all_but_the_broken_part_is_read_from_a_torn_file(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await fill(store, 0, TRIALS)
    await store.aclose()
    content = bytearray(path.read_bytes())
    known = f"a{TRIALS // 2}".encode()
    where = content.find(known)
    content[where : where + 8] = os.urandom(8)
    path.write_bytes(content)
    store = DuckStore.open(path, install_views=no_views, create=False)
    rebuilt = counts(store)
    assert TRIALS // 2 < sum(rebuilt[:3]) <= 3 * TRIALS
    await store.aclose()


async def test_a_reader_finishes_what_a_killed_writer_left(tmp_path: Path) -> None:
    path = await as_if_killed(tmp_path)
    path.with_name("a.duckdb.wal").unlink()
    with open_for_reading(path) as reader:
        assert not reader.live
        assert reader.notice is not None
        assert "rows restored from the journal: 602" in reader.notice
        assert reader.connection.execute("SELECT count(*) FROM trials").fetchall() == [(200,)]


async def test_calls_that_never_came_back_are_shown_with_their_doubt(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.sweep(), rows.trial(), rows.start(reserved_pusd=5_000, n=3))
    await store.aclose()
    store = open_store(path)
    assert store.notices == ["calls that were cut off and may have been billed: 1"]
    with store.cursor() as cursor:
        found = cursor.execute(
            "SELECT n, outcome, maybe_billed, final, cost_pusd FROM attempts"
        ).fetchall()
    assert found == [(3, "cancelled:killed", True, False, None)]
    assert store.committed_pusd("first") == 5_000
    assert store.progress(["cell-1"], frozenset(), seed=0).attempts == {"trial-1": 3}
    await store.aclose()
    store = open_store(path)
    assert store.notices == []
    await store.aclose()


@pytest.mark.parametrize(
    ("lost", "done", "begun", "committed"),
    [
        ("trials", {}, {}, 400),  # asked again as if new, under its own number again
        ("attempts", {}, {"trial-1": 1}, 1_000),  # its bill is in doubt, and all of the hold counts
        ("completions", {}, {"trial-1": 1}, 400),
        ("reservations", {"cell-1": {0}}, {}, 400),
        ("sweeps", {"cell-1": {0}}, {}, 400),
    ],
)
async def test_what_a_salvage_lacks_is_asked_again_once_and_stays_paid(
    tmp_path: Path,
    lost: str,
    done: dict[str, set[int]],
    begun: dict[str, int],
    committed: int,
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    paid = rows.attempt(cost_pusd=400, maybe_billed=False, final=True)
    await store.append(
        rows.sweep(), rows.cell(), rows.trial(), rows.start(), paid, rows.completion(), rows.score()
    )
    await store.aclose()
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"DELETE FROM {lost}")  # noqa: S608  our own names
        connection.execute(sql("killed"), {"now_us": 0})
        connection.execute(sql("reconcile"))
    store = open_store(path)
    progress = store.progress(["cell-1"], frozenset(), seed=0)
    assert ({cell: set(of) for cell, of in progress.done.items()}, progress.attempts) == (
        done,
        begun,
    )
    # A sweep of any name must count it where the names are lost.
    assert store.committed_pusd("first") == committed
    with store.cursor() as cursor:
        query = "SELECT attempt_id FROM attempts UNION SELECT attempt_id FROM completions"
        taken = {row[0] for row in cursor.execute(query).fetchall()}
    assert lost != "trials" or "trial-1/1" not in taken
    await store.aclose()


async def test_a_kill_while_a_file_is_rebuilt_leaves_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each step of it, twice in a row; the journal still has what the file cannot give."""
    path = await as_if_killed(tmp_path, trials=TRIALS)
    path.with_name("a.duckdb.wal").unlink()
    with path.open("r+b") as file:
        file.write(b"\0" * 8192)  # no header is left

    class KilledError(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    steps = ("_salvage", "load_journal", "_counts", "_give_second_name", "sync_folder", "_open")
    for step in (*steps, *steps):
        with monkeypatch.context() as cut:
            if step == "_open":
                cut.setattr(repair.os, "link", killed)
            else:
                cut.setattr(repair, step, killed)
            with suppress(KilledError):  # what was finished before is not done again
                open_store(path).close()
        assert path.exists()
    store = open_store(path)
    assert counts(store) == (TRIALS, TRIALS, TRIALS, 1)
    await store.aclose()
    again = open_store(path)
    assert counts(again) == (TRIALS, TRIALS, TRIALS, 1)
    await again.aclose()


async def test_damage_that_shows_only_when_a_column_is_read_is_repaired_by_a_sweep(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.sweep(), rows.cell())
    await fill(store, 0, TRIALS)
    await store.aclose()
    content = overwrite(path, "trials", "prompt_hash")
    store = open_store(path)
    assert "was damaged and is kept as" in store.notices[0]
    await store.aclose()
    assert kept_aside(tmp_path) == content


async def test_a_line_that_no_table_takes_whole_survives_kills_while_it_is_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.sweep())
    store_id = opening.store_id(store._connection)
    await store.aclose()
    journal = Journal(path, store_id)
    kinds = [rows.trial("t1"), rows.trial("t2", target="no json"), rows.trial("t3")]
    journal.write(99, encode(99, grouped(kinds)))
    journal.close()

    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    real = Loader.load
    loads = 0

    def killed_on_the_second(loader: Loader, entries: list[JournalEntry]) -> int:
        nonlocal loads
        loads += 1
        return killed() if loads == 2 else real(loader, entries)

    for place, name, kill in (
        (Loader, "load", killed),
        (Loader, "load", killed_on_the_second),
        (Loader, "fits", killed),
        (recovery, "_close_killed", killed),
        (recovery, "fill_facts", killed),
    ):
        with monkeypatch.context() as cut:
            cut.setattr(place, name, kill)
            with pytest.raises(KeyboardInterrupt):
                open_store(path)
    store = open_store(path)
    with store.cursor() as cursor:
        found = cursor.execute("SELECT trial_id FROM trials ORDER BY ALL").fetchall()
    assert found == [("t1",), ("t3",)]
    await store.aclose()
    assert any(b"no json" in content for content in unreadable(tmp_path))


async def test_a_bill_that_no_call_can_have_makes_no_file_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.trial("t1"), rows.trial("t2"))
    most = 2**63 - 1
    for number, size in ((1, most), (2, most), (3, 2**63)):
        attempt = f"t1/{number}"
        await store.append(
            rows.start(attempt, trial_id="t1", n=number, reserved_pusd=most),
            rows.attempt(
                attempt, trial_id="t1", n=number, cost_pusd=size, input_tokens=size,
                output_tokens=size, final=number == 3,
            ),
        )  # fmt: skip
    store.flush()
    assert store.committed_pusd("first") == 3 * most
    await store.aclose()
    with open_for_reading(path) as reader:
        for (view,) in reader.connection.execute(
            "SELECT view_name FROM duckdb_views() WHERE NOT internal"
        ).fetchall():
            reader.connection.table(view).fetchall()


async def test_what_was_never_sent_is_one_trial_however_often_it_was_planned(tmp_path: Path):
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.sweep_cell(repeats=2))
    for started, outcome in enumerate(("over_context", "invalid_request:prompt", "over_context")):
        attempt = rows.attempt(
            "t1.0", trial_id="t1", n=0, outcome=outcome, cost_pusd=0, started_at=started
        )
        await store.append(rows.trial("t1"), attempt)
        await store.aclose()  # only another run plans it again
        store = DuckStore.open(path, install_views=install, create=True)
    with store.cursor() as cursor:
        found = cursor.execute("SELECT outcome FROM trial_results").fetchall()
        done = cursor.execute("SELECT n_done, n_planned FROM progress").fetchall()
        repeated = cursor.execute(
            next(q.sql for q in shipped("checks") if q.name == "repeated_attempts")
        ).fetchall()
    assert found == [("over_context",)]
    assert done == [(1, 2)]
    assert repeated == []
    await store.aclose()


async def test_the_newest_score_is_the_one_that_was_written_last(tmp_path: Path):
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.trial(), rows.start(), rows.attempt())
    await store.append(rows.completion(), rows.score(value=1.0))
    yesterday = rows.START_US - 86_400_000_000
    await store.append(rows.score(value=0.0, again=True, scored_at=yesterday))
    with store.cursor() as cursor:
        assert cursor.execute("SELECT value FROM stg_trials").fetchall() == [(0.0,)]
    await store.aclose()


async def test_what_was_gathered_is_not_shifted_by_a_row_group_that_a_salvage_lost(tmp_path: Path):
    """Rows get other places in a rebuilt file; what was known by the old ones is made anew."""
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.sweep_cell(repeats=TRIALS))
    await fill(store, 0, TRIALS, hash_bytes=200)  # several blocks, of which one is lost
    await store.append(
        *(rows.completion(trial_id=f"t{n}", attempt_id=f"a{n}") for n in range(TRIALS)),
        *(rows.score(trial_id=f"t{n}", value=n / TRIALS) for n in range(TRIALS)),
    )
    with store.cursor() as cursor:
        assert gather(cursor)
        assert cursor.execute("SELECT count(*) FROM gathered_trials").fetchall() == [(TRIALS,)]
    await store.aclose()
    overwrite(path, "trials", "prompt_hash")

    store = DuckStore.open(path, install_views=install, create=True)
    assert "was damaged" in store.notices[0]
    with store.cursor() as cursor:
        (left,) = cursor.execute("SELECT count(*) FROM trials").fetchone() or (0,)
        shown = cursor.execute(_SHOWN).fetchall()
        gather(cursor)
        assert cursor.execute(_SHOWN).fetchall() == shown
    assert 0 < left < TRIALS
    assert len(shown) == left
    assert {(name, value) for name, value in shown} <= {
        (f"t{n}", n / TRIALS) for n in range(TRIALS)
    }
    await store.aclose()


_SHOWN = (
    "SELECT trial_id, value FROM stg_trials JOIN trials ON trial_key = hash(trial_id) ORDER BY ALL"
)


def overwrite(path: Path, table: str, column: str) -> bytes:
    """Damage the last block of a column; what the file holds now."""
    content = bytearray(path.read_bytes())
    with duckdb.connect(str(path), read_only=True) as connection:
        (block,) = connection.execute(
            f"SELECT max(block_id) FROM pragma_storage_info('{table}')"  # noqa: S608  our own names
            f" WHERE column_name = '{column}' AND segment_type = 'VARCHAR'"
        ).fetchone() or (None,)
    place = 3 * 4096 + int(block or 0) * (256 << 10)
    content[place + 5000 : place + 6000] = os.urandom(1000)
    path.write_bytes(content)
    return bytes(content)


async def test_damage_that_a_question_meets_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.sweep_cell(repeats=TRIALS))
    await fill(store, 0, TRIALS)
    await store.aclose()
    damaged = overwrite(path, "trials", "prompt_hash")
    for command in ("status", "report", "sql", "export", "show"):
        words = {"sql": ["FROM trials"], "export": ["out"], "show": ["t100"]}.get(command, [])
        files = [*words, str(path)] if command == "show" else [str(path), *words]
        monkeypatch.setattr("sys.argv", ["runner", command, *files])
        with pytest.raises(SystemExit) as ended:
            run()
        said = capsys.readouterr().err
        assert "a bug in runner" not in said, command
        if ended.value.code:
            assert ended.value.code == 2, command
            assert said.count("\n") == 1
    assert path.read_bytes() == damaged
