"""What a writer does for readers in other processes: live SQL where it can, snapshots always."""

from pathlib import Path
from typing import Protocol, Self

import duckdb

from state.database import spill
from state.sharing.quack import QuackServer, confine
from state.sharing.snapshot import SnapshotService


class Served(Protocol):
    """A store whose database can be queried in this process."""

    @property
    def path(self) -> Path:
        """The database file."""
        ...

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection that sees every durable row."""
        ...


class LiveChannel:
    """Open while a sweep runs; readers find it by the files beside the database."""

    def __init__(self, server: QuackServer | None, snapshots: SnapshotService) -> None:
        self._server = server
        self._snapshots = snapshots

    @classmethod
    def open(cls, store: Served) -> Self:
        """Begin to serve readers."""
        snapshots = SnapshotService(store.path, store.cursor)
        snapshots.start()
        server = QuackServer.start(store.cursor(), store.path)
        with store.cursor() as cursor:
            confine(cursor, spill.place(store.path))
        return cls(server, snapshots)

    def attach_line(self) -> str:
        """The line to paste into a DuckDB, or why there is none."""
        if self._server is None:
            return (
                f"live SQL needs the quack extension for DuckDB {duckdb.__version__};"
                " `runner sql` answers from snapshots"
            )
        return self._server.address.attach_line

    def close(self) -> None:
        """Serve readers no more."""
        self._snapshots.stop()
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
