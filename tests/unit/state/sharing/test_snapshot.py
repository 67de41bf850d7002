"""A reader may ask for a snapshot before there is anybody to make one."""

import threading
from pathlib import Path

import duckdb

from state.sharing.snapshot import SnapshotService, _wish
from state.stores.duck import DuckStore
from tests.fakes.no_views import no_views


def test_a_wish_older_than_the_service_is_granted(tmp_path: Path):
    store = DuckStore.open(tmp_path / "a.duckdb", install_views=no_views, create=True)
    asked = threading.Event()

    def cursor() -> duckdb.DuckDBPyConnection:
        asked.set()
        return store.cursor()

    _wish(store.path).touch()
    service = SnapshotService(store.path, cursor)
    service.start()
    assert asked.wait(30)
    service.stop()
    store.close()
