"""Puts commits into DuckDB: columns by table, one transaction, with the number of the last one."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from state import sql as statements
from state.database.columns import columns
from state.database.gather import Gathering
from state.database.memory import KEY, Texts
from state.journal.journal import JournalEntry, Values
from state.records import AttemptRow, Row, ScoreRow, TrialRow
from state.stamps import utc_us
from state.tables import TABLES, Table

_BATCH = "journal_batch"
UNFIT = (pa.ArrowException, OverflowError, duckdb.DataError, duckdb.IntegrityError)
"""What inserting raises for a row that its table cannot hold."""


def sql(name: str) -> str:
    """The text of one statement kept beside this module."""
    return files(statements).joinpath(f"{name}.sql").read_text("utf-8")


class KnownTrials:
    """Tells cheaply whether a batch may hold trials that an earlier run already wrote.

    A trial that was begun before a kill is appended again by the resume. Comparing each batch with
    a million stored ids is too dear, so their hashes are held: 8 bytes each, none added while
    running, since one run appends a trial once.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        known = connection.execute("SELECT hash(trial_id) AS h FROM trials").fetchnumpy()
        self._known: npt.NDArray[np.uint64] = np.sort(np.asarray(known["h"], dtype=np.uint64))

    def may_hold(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Whether the registered batch has a trial of an earlier run."""
        found = connection.execute(f"SELECT hash(trial_id) AS h FROM {_BATCH}").fetchnumpy()
        hashes: npt.NDArray[np.uint64] = np.asarray(found["h"], dtype=np.uint64)
        if not len(self._known):
            return False
        places = np.searchsorted(self._known, hashes)
        places[places == len(self._known)] = 0
        return bool((self._known[places] == hashes).any())


class Loader:
    """Loads appends on one connection."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        known: KnownTrials | None,
        texts: Texts,
        *,
        only_new: bool = False,
    ) -> None:
        self._connection = connection
        self._known = known
        self._texts = texts
        self._only_new = only_new
        self._gathering = None if known is None else Gathering(connection)

    def load(self, entries: Sequence[JournalEntry]) -> int:
        """Insert the rows of all entries, or none; how many were new.

        Raises duckdb.Error or pyarrow.ArrowException.
        """
        batches = _columns(entries)
        self._texts.expect([(table.name, len(batch), batch.nbytes) for table, batch in batches])
        self._connection.execute("BEGIN")
        try:
            rows = sum(self._insert(table, batch) for table, batch in batches)
            self._connection.execute(
                "INSERT INTO journal_loads VALUES (?, ?, make_timestamp(?))",
                [entries[-1].seq, rows, utc_us()],
            )
            heaviest = self._texts.news
            if heaviest is not None:
                self._connection.execute("INSERT INTO meta VALUES (?, ?)", [KEY, str(heaviest)])
            self._connection.execute("COMMIT")
        except duckdb.Error:
            _roll_back(self._connection)
            raise
        if heaviest is not None:
            self._texts.written(heaviest)
        if self._gathering is not None:
            self._gathering.added(
                sum(len(batch) for table, batch in batches if table.row in (AttemptRow, ScoreRow))
            )
        return rows

    def fits(self, entry: JournalEntry) -> bool:
        """Whether its rows could be inserted, each and all together; nothing is kept."""
        try:
            batches = _columns([entry])
            self._connection.execute("BEGIN")
            for table, batch in batches:
                self._insert(table, batch)
        except UNFIT:
            return False
        finally:
            _roll_back(self._connection)
        return True

    def _insert(self, table: Table, batch: pa.Table) -> int:
        connection: Any = self._connection
        connection.register(_BATCH, batch)
        try:
            return int(connection.execute(self._statement(table)).fetchall()[0][0])
        finally:
            connection.unregister(_BATCH)

    def _statement(self, table: Table) -> str:
        insert = f"INSERT INTO {table.name} BY NAME"
        key = table.key or (table.names_row if self._only_new else None)
        if key is None and self._only_new:
            return (
                f"{insert} SELECT * FROM {_BATCH} EXCEPT SELECT {_names(table)} FROM {table.name}"
            )
        if key is None or self._surely_new(table):
            return f"{insert} SELECT * FROM {_BATCH}"
        return (
            f"{insert} SELECT b.* FROM {_BATCH} AS b"
            f" ANTI JOIN {table.name} AS known ON known.{key} = b.{key}"
        )

    def _surely_new(self, table: Table) -> bool:
        if table.row is not TrialRow or self._known is None:
            return False
        return not self._known.may_hold(self._connection)


def _names(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.names)


def _columns(entries: Sequence[JournalEntry]) -> list[tuple[Table, pa.Table]]:
    by_kind: dict[type[Row], list[Values]] = {}
    for entry in entries:
        for kind, rows in entry.groups.items():
            by_kind.setdefault(kind, []).extend(rows)
    return [
        (table, columns(kind, _each_once(table, by_kind[kind])))
        for kind, table in TABLES.items()
        if kind in by_kind
    ]


def _each_once(table: Table, rows: list[Values]) -> Sequence[Values]:
    """The first row of each key: told apart here, DuckDB need not hold the texts beside it."""
    if table.key is None:
        return rows
    place = table.names.index(table.key)
    first: dict[Any, Values] = {}
    for row in rows:
        first.setdefault(row[place], row)
    return list(first.values())


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    """Undo, where the database is still able to."""
    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        return  # nothing was committed, which is all that matters


def last_loaded(connection: duckdb.DuckDBPyConnection) -> int:
    """Number of the newest append in the file."""
    found = connection.execute("SELECT coalesce(max(last_seq), 0) FROM journal_loads").fetchall()
    return int(found[0][0])
