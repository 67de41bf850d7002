"""`runner export`: Parquet that pandas, polars and DuckDB read, one file per table and view."""

import sys
from pathlib import Path

import duckdb

from queries.catalog import QueryError, views
from queries.reading import open_with_views
from runner.commands.results import parquet
from runner.errors import UsageError
from runner.terminal.console import put
from state.database.damage import is_damage
from state.sharing.reading import Reader
from state.tables import BY_NAME, OTHER_TABLES

_LIST = """
SELECT DISTINCT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1
"""


def run(db: Path, directory: Path, folder: Path | None = None) -> int:
    """Write every table and view of the file, and say what was written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be a folder: {error.strerror}") from error
    try:
        with open_with_views(db, folder) as reader:
            if reader.notice:
                put(f"runner: {reader.notice}", sys.stderr)
            ours = {*BY_NAME, *OTHER_TABLES, *(view.name for view in views(folder))}
            held = [row[0] for row in reader.connection.execute(_LIST).fetchall()]
            names = [name for name in held if name in ours]
            if left := len(held) - len(names):
                put(f"runner: tables and views of others, not exported: {left}", sys.stderr)
            for name in names:
                rows = _write(reader, name, directory / f"{name}.parquet")
                put(f"{name}.parquet  {rows:,} rows")
    except QueryError as error:
        raise UsageError(str(error)) from error
    put(f"{len(names)} files in {directory}")
    return 0


def _write(reader: Reader, name: str, path: Path) -> int:
    """Write under another name first, so that a file that is there is whole."""
    unfinished = path.with_suffix(".parquet.part")
    try:
        unfinished.unlink(missing_ok=True)
        with unfinished.open("xb") as out:
            rows = parquet.write_relation(reader, name, out)
        unfinished.replace(path)
    except duckdb.Error as error:
        if is_damage(error):
            raise
        raise UsageError(f"{name}: {str(error).partition(chr(10))[0]}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return rows
