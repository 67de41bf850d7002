"""Opens a database; one that cannot be opened is kept aside, and rebuilt from what can be read."""

from pathlib import Path

import duckdb

from state.opening import InstallViews, connect, create, is_duckdb, prepare
from state.store import StoreError


def open_or_repair(
    path: Path, install_views: InstallViews
) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    """A connection to the file, made if absent, and what had to be done, one line each."""
    if not path.exists() or not path.stat().st_size:
        create(path, install_views)
    if not is_duckdb(path):
        raise StoreError(f"{path.name}: not a runner file")
    connection = connect(path)
    prepare(connection, path, install_views)
    return connection, []
