import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from state.sharing.reading import open_for_reading
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.no_views import no_views

ROOT = Path(__file__).parents[4]


def open_store(path: Path, *, create: bool = True) -> DuckStore:
    return DuckStore.open(path, install_views=no_views, create=create)


def everyone(path: Path) -> list[str]:
    """What a writer and a reader say of a file that cannot be used."""
    messages: list[str] = []
    with pytest.raises(StoreError) as wanted:
        open_store(path)
    messages.append(str(wanted.value))
    with pytest.raises(StoreError) as wanted:
        open_for_reading(path)
    messages.append(str(wanted.value))
    assert all("\n" not in message for message in messages)
    return messages


@pytest.mark.parametrize("content", [b"hello world\n" * 1000, b"x", b"\x00" * 20_000])
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert everyone(path) == ["notes.txt: not a runner file"] * 2
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_another_duckdb_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 1 AS a")
    assert {message.partition(":")[2] for message in everyone(path)} == {
        " a DuckDB file, but not one that runner wrote"
    }
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("FROM mine").fetchall() == [(1,)]


async def test_a_file_of_a_newer_runner_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    await open_store(path).aclose()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES (99, 'later', make_timestamp(0))")
    assert all("newer runner (schema 99" in message for message in everyone(path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        open_store(tmp_path / "a.duckdb", create=False)
    with pytest.raises(StoreError, match="no such file"):
        open_for_reading(tmp_path / "a.duckdb")
    with pytest.raises(StoreError, match="no folder"):
        open_store(tmp_path / "nowhere" / "a.duckdb")
    assert list(tmp_path.iterdir()) == []


async def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.touch()
    await open_store(path, create=False).aclose()
    with open_for_reading(path) as reader:
        assert reader.connection.execute("SELECT count(*) FROM trials").fetchall() == [(0,)]


async def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    with pytest.raises(StoreError, match=f"process {os.getpid()} is writing"):
        open_store(path)
    await store.append(rows.sweep())
    await store.aclose()


def test_a_reader_in_the_way_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    open_store(path).close()
    code = f"import duckdb; c = duckdb.connect({str(path)!r}, read_only=True); print(1); input()"
    with subprocess.Popen(
        [sys.executable, "-uc", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdin is not None
        reader.stdout.readline()
        with pytest.raises(StoreError, match=f"process {reader.pid} has it open"):
            open_store(path)
        reader.stdin.close()
    open_store(path).close()


def test_what_a_killed_maker_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    (tmp_path / ".a.duckdb.new-12345").write_bytes(b"half")
    open_store(path).close()
    assert list(tmp_path.iterdir()) == [path]


READ_ONLY = """
import os, sys
from pathlib import Path
from state.stores.duck import DuckStore
from state.sharing.reading import open_for_reading
from state.store import StoreError
import duckdb, pyarrow as pa
duckdb.connect().register("warm", pa.table({"a": [1]}))  # whatever they import late
if os.getuid() == 0:
    os.setuid(65534)
for name in sys.argv[1:]:
    try:
        DuckStore.open(Path(name), install_views=lambda _: None, create=True)
    except StoreError as error:
        print(error)
    try:
        with open_for_reading(Path(name)) as reader:
            print(reader.connection.execute("SELECT count(*) FROM sweeps").fetchall())
    except StoreError as error:
        print(error)
"""


def test_a_folder_without_rights_is_said_so() -> None:
    with tempfile.TemporaryDirectory() as name:
        seen, hidden = Path(name) / "seen", Path(name) / "hidden"
        for folder in (seen, hidden):
            folder.mkdir()
            store = open_store(folder / "a.duckdb")
            asyncio.run(store.append(rows.sweep()))
            store.close()
        Path(name).chmod(0o755)
        seen.chmod(0o555)
        hidden.chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(seen / "a.duckdb"), str(hidden / "a.duckdb")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        hidden.chmod(0o755)
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stderr
    assert lines[0].endswith("its folder cannot be: Permission denied")
    assert lines[1] == "[(1,)]"
    assert lines[2].endswith("its folder cannot be: Permission denied")
    assert lines[3].endswith("cannot be reached: Permission denied")


async def test_a_full_disk_stops_sending_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.sweep("kept"))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fdatasync", full)
        with pytest.raises(StoreError, match="cannot be written: No space left on device"):
            await store.append(rows.sweep("lost"))
    with pytest.raises(StoreError, match="No space left"):
        await store.append(rows.sweep("after"))
    await store.aclose()
    store = open_store(path)
    with store.cursor() as cursor:
        assert cursor.execute("SELECT sweep_id FROM sweeps").fetchall() == [("kept",)]
    await store.aclose()


async def test_a_moved_database_leaves_its_old_journal_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    await open_store(path).aclose()
    shutil.copy(path, tmp_path / "copy")
    path.unlink()
    (tmp_path / "a.duckdb.journal-000000000001").write_bytes(
        b'{"runner_journal":1,"store":"another"}\n[1,[["sweep_cells","s","c",1]]]\n'
    )
    store = open_store(path)
    assert len(store.notices) == 1
    assert "journal of another database is kept in" in store.notices[0]
    with store.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM sweep_cells").fetchall() == [(0,)]
    await store.aclose()
