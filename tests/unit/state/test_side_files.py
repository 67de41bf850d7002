"""Links that somebody planted beside a database are never written through."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from queries.catalog import install
from runner.clock import SystemClock
from runner.commands import failure
from runner.engine.observers.attempt_log import AttemptLog
from runner.progress.status_file import StatusFile
from state.sharing.live import LiveChannel
from state.sharing.reading import open_for_reading
from state.side_files import free_name, open_own, read_own, write_own
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.unit.runner.progress.views import view

SAID = "is a link, which runner never makes; remove it"
VICTIM = b"what the user holds dear"
REFUSED = (
    "a.duckdb.lock",
    "a.duckdb.wal",
    "a.duckdb.journal-000000000001",
    "a.duckdb.log",
    ".a.duckdb.spill",
)
REPLACED = (
    "a.duckdb.token",
    ".a.duckdb.token.{pid}",
    "a.duckdb.status",
    ".a.duckdb.status.{pid}",
    "a.duckdb.snapshot",
    "a.duckdb.snapshot-wanted",
    ".a.duckdb.new-{pid}",
    "runner-error.log",
    ".runner-error.log.{pid}",
)


async def use(database: Path) -> None:
    """Everything that puts a file beside a database."""
    store = DuckStore.open(database, install_views=install, create=True)
    try:
        with LiveChannel.open(store), AttemptLog.open(database):
            status = StatusFile(database, SystemClock())
            status.show(view())
            await store.append(rows.sweep(), rows.cell(), rows.trial())
            await asyncio.to_thread(open_for_reading(database).close)
            status.remove()
    finally:
        await store.aclose()
    open_for_reading(database).close()
    failure.report(ValueError("a bug"))


class Planted:
    """A folder with links, and what they lead to."""

    def __init__(self, folder: Path, names: Sequence[str], *, dangling: bool) -> None:
        self.shared, self.away = folder / "shared", folder / "away"
        self.shared.mkdir()
        self.away.mkdir()
        self.victims = [self.away / str(number) for number, _ in enumerate(names)]
        for victim, name in zip(self.victims, names, strict=True):
            if not dangling:
                victim.write_bytes(VICTIM)
            (self.shared / name.format(pid=os.getpid())).symlink_to(victim)
        self.before = self.seen()

    def seen(self) -> list[tuple[str, bytes]]:
        return sorted((file.name, file.read_bytes()) for file in self.away.iterdir())


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("dangling", [False, True])
def test_a_planted_link_is_refused_in_one_line(tmp_path: Path, name: str, dangling: bool):
    planted = Planted(tmp_path, [name], dangling=dangling)
    with pytest.raises(StoreError, match=f"{SAID}|is in the way") as refused:
        asyncio.run(use(planted.shared / "a.duckdb"))
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)
    assert planted.seen() == planted.before


@pytest.mark.parametrize("dangling", [False, True])
def test_planted_links_where_files_are_put_in_place_whole_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dangling: bool
):
    planted = Planted(tmp_path, REPLACED, dangling=dangling)
    monkeypatch.chdir(planted.shared)
    asyncio.run(use(planted.shared / "a.duckdb"))
    assert planted.seen() == planted.before


def test_a_link_to_a_folder_in_the_place_of_the_spill_is_left_alone(tmp_path: Path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "dear").touch()
    (tmp_path / ".a.duckdb.spill").symlink_to(away)
    with pytest.raises(StoreError, match="is in the way"):
        DuckStore.open(tmp_path / "a.duckdb", install_views=install, create=True)
    assert [file.name for file in away.iterdir()] == ["dear"]


def test_own_files_are_private_and_whole(tmp_path: Path):
    path = tmp_path / "a"
    write_own(path, b"one")
    write_own(path, b"two")
    assert read_own(path, 100) == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_fifo_is_no_file_of_ours_and_nobody_waits_for_its_other_end(tmp_path: Path):
    os.mkfifo(tmp_path / "a")
    with pytest.raises(StoreError, match="is no plain file; remove it"):
        open_own(tmp_path / "a", os.O_RDONLY)


def test_what_is_kept_aside_never_takes_the_name_of_what_was_kept_before(tmp_path: Path):
    path = tmp_path / "a.duckdb"
    names = [free_name(path, "damaged") for _ in range(3) if _touched(path)]
    assert len(set(names)) == 3
    assert all(name.name.startswith("a.duckdb.damaged-") for name in names)


def _touched(path: Path) -> bool:
    """Something is kept under the next free name."""
    free_name(path, "damaged").touch()
    return True
