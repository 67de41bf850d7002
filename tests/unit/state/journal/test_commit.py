"""What nobody waits for is still heard of: by whoever appends next."""

from pathlib import Path

import pytest

from state.records import Row
from state.sharing.reading import open_for_reading
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.no_views import no_views


async def test_a_value_no_column_can_hold_stops_the_next_append(tmp_path: Path):
    store = DuckStore.open(tmp_path / "a.duckdb", install_views=no_views, create=True)
    store.enqueue(rows.start(reserved_pusd=1 << 70))
    store.enqueue(rows.trial("t1"))
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.append(rows.trial("t2"))
    with pytest.raises(StoreError, match="cannot be stored"):
        store.enqueue(rows.trial("t3"))
    await store.aclose()


async def test_one_who_waits_hears_of_his_own_rows_alone(tmp_path: Path):
    store = DuckStore.open(tmp_path / "a.duckdb", install_views=no_views, create=True)
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.append(rows.start(reserved_pusd=1 << 70))
    await store.append(rows.trial("t1"))
    with store.cursor() as cursor:
        assert cursor.execute("SELECT trial_id FROM trials").fetchall() == [("t1",)]
    await store.aclose()


async def test_a_full_disk_stops_the_next_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = DuckStore.open(tmp_path / "a.duckdb", install_views=no_views, create=True)
    await store.append(rows.trial("t1"))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fdatasync", full)
        store.enqueue(rows.attempt("a1", trial_id="t1"))
        with pytest.raises(StoreError, match="No space left"):
            await store.append(rows.trial("t2"))
    with store.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM attempts").fetchall() == [(0,)]
    await store.aclose()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_bug_in_making_a_row_stops_all_and_costs_no_other_row(tmp_path: Path):
    store = DuckStore.open(tmp_path / "a.duckdb", install_views=no_views, create=True)

    def broken() -> list[Row]:
        raise ZeroDivisionError

    store.enqueue(rows.trial("t1"), late=broken)
    store.enqueue(rows.trial("t2"))

    async def append_until_it_stops() -> None:
        for _ in range(1000):  # the first may be of the same commit, which is kept
            await store.append()

    with pytest.raises(StoreError, match="ZeroDivisionError"):
        await append_until_it_stops()
    store.enqueue(rows.trial("t3"))  # what is on its way back is taken
    await store.aclose()
    with open_for_reading(tmp_path / "a.duckdb") as reader:
        found = reader.connection.execute("SELECT trial_id FROM trials ORDER BY ALL").fetchall()
    assert found == [("t1",), ("t2",), ("t3",)]
