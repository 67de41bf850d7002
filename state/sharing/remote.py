"""A connection to a database that another process is writing.

Each query is sent whole and answered there. One that the writer refuses (it takes only queries, and
knows none of this side's own views) runs here, over views that fetch whole tables from there.
"""

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import duckdb

from state.database.opening import OFFLINE
from state.literals import inlined, literal
from state.sharing.quack import Address, load_quack
from state.store import StoreError

ANSWERS_WITHIN_S = 60.0
"""Twice what a writer takes that lets a query wait its turn, tries it and answers it."""

_WORD = re.compile(r"\w+")
_RELATIONS = (
    "SELECT table_name FROM information_schema.tables"
    " WHERE table_schema = 'main' AND table_catalog = current_database()"
)
# What refers to a row comes before it, so that no copied row refers to one that is not copied.
_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE NOT internal"
    " AND database_name = current_database() AND schema_name = 'main' ORDER BY table_oid DESC"
)


def connect_live(address: Address) -> "LiveConnection | None":
    """A connection to the writer at this address; None if it cannot be had."""
    if not address.responds():
        return None
    local = duckdb.connect(config=dict(OFFLINE))
    if load_quack(local):
        connection = LiveConnection(local, address)
        if connection.answers():
            return connection
    local.close()
    return None


class LiveConnection:
    """Looks like a DuckDB connection; results are those of the one behind it."""

    def __init__(self, local: duckdb.DuckDBPyConnection, address: Address) -> None:
        self._local = local
        self._unnamed: set[str] | None = None
        self._is_stuck = False
        self._uri = literal(address.uri)
        local.execute(f"CREATE SECRET (TYPE quack, TOKEN {literal(address.token)})")

    def answers(self) -> bool:
        """Ask whether the writer is there."""
        try:
            self._awaited(lambda: self._local.execute(self._remote("SELECT 1")).fetchall())
        except duckdb.Error:
            return False
        return True

    def execute(self, query: str, parameters: Any = None) -> duckdb.DuckDBPyConnection:
        """Run a query there, or here if it cannot run there."""
        try:
            whole = query if parameters is None else inlined(query, parameters)
            return self._awaited(lambda: self._local.execute(self._answered(whole)))
        except (duckdb.Error, TypeError):
            self._name_relations(query)
            return self._local.execute(query, parameters)

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Ask a query, as a relation."""
        try:
            return self._local.sql(self._answered(query))
        except duckdb.Error:
            self._name_relations(query)
            return self._local.sql(query)

    query = sql

    def _name_relations(self, query: str) -> None:
        """Give those of the writer's tables and views that a query may mean names here too."""
        if self._unnamed is None:
            found = self._local.execute(self._remote(_RELATIONS)).fetchall()
            self._unnamed = {str(row[0]) for row in found}
        for name in self._unnamed & set(_WORD.findall(query)):
            whole = self._answered(f'FROM "{name}"')
            self._local.execute(f'CREATE OR REPLACE VIEW "{name}" AS {whole}')
            self._unnamed.remove(name)

    def fetched(self) -> duckdb.DuckDBPyConnection:
        """A connection to a copy of the writer's tables, made here and now."""
        found = self._local.execute(self._remote(_TABLES)).fetchall()
        for (name,) in found:
            # Places of rows may be others in a copy, so what was gathered there says nothing here.
            rows = " LIMIT 0" if name == "gathered_trials" else ""
            whole = self._remote(f'FROM "{name}"{rows}')
            self._local.execute(f'CREATE TABLE "{name}" AS {whole}')
        return self._local

    def cursor(self) -> "LiveConnection":
        """This connection; a reader asks one thing at a time."""
        return self

    def close(self) -> None:
        """Let go of the connection."""
        if not self._is_stuck:  # else it would be waited for
            self._local.close()

    def _awaited(self, work: Callable[[], Any]) -> Any:
        """What comes of it. Raises StoreError where nothing does: DuckDB's client would wait on."""
        try:
            return _within(ANSWERS_WITHIN_S, work)
        except TimeoutError as error:
            self._is_stuck = True
            raise StoreError(
                "the sweep that writes the file has not answered"
                f" for {ANSWERS_WITHIN_S:.0f} s; try again later"
            ) from error

    def __enter__(self) -> "LiveConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._local, name)

    def _answered(self, query: str) -> str:
        """The query as it is safe to send.

        The writer sends rows while it makes them. Where several streams make them at once, as in a
        union, it may wait for itself for ever; so all are made before the first is sent.
        """
        return self._remote(f"WITH answer AS MATERIALIZED (\n{_bare(query)}\n) FROM answer")

    def _remote(self, query: str) -> str:
        """The query as it is, for a single table."""
        return f"FROM quack_query({self._uri}, {literal(_bare(query))})"


def _bare(query: str) -> str:
    return query.strip().rstrip(";")


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """What comes of it in time. Raises TimeoutError; its thread ends with the process."""
    outcome = Future[Any]()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=run, name="runner-asks", daemon=True).start()
    return outcome.result(seconds)
