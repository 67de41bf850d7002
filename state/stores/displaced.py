"""Notices that the file under an open database was deleted or replaced, and saves what it held."""

import os
from pathlib import Path

import duckdb

from state.database import spill
from state.literals import literal
from state.side_files import free_name
from state.store import StoreError


class Watched:
    """A database file by what it is, not by its name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is = path.stat()
        self._kept: Path | None = None

    def displacement(self) -> StoreError | None:
        """What to say if another file has its name now, or none."""
        try:
            if os.path.samestat(self._path.stat(), self._is):
                return None
            what = "replaced"
        except FileNotFoundError:
            what = "deleted"
        except OSError as error:
            return StoreError(f"{self._path}: cannot be reached any more: {error.strerror}")
        if self._kept is None:
            self._kept = free_name(self._path, "kept")
        return StoreError(
            f"{self._path.name}: was {what} while a sweep was writing to it;"
            f" all that it held, and what comes back, is put into {self._kept.name}"
        )

    def save(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Put all that the database holds into a file of its own, if its own has gone."""
        if self.displacement() is None or self._kept is None:
            return False
        name = connection.execute("SELECT current_database()").fetchall()[0][0]
        fresh = spill.place(self._path) / "kept"
        connection.execute(f"ATTACH {literal(fresh)} AS runner_kept")
        try:
            connection.execute(f'COPY FROM DATABASE "{name}" TO runner_kept')
        finally:
            connection.execute("DETACH runner_kept")
        fresh.replace(self._kept)
        return True
