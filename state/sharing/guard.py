"""Lets in what another process asks of a running sweep: a query that only answers, and ends soon.

DuckDB's server cannot be told to end a query that it has begun. So each is asked here first, on a
connection that can be, in its turn, and is let in once it has ended in time and found its memory.
It must answer the same again, so nothing that depends on chance or the clock is let in.
"""

import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import duckdb

from state.background import give_way
from state.literals import literal

LIMIT_S = 10.0
"""Long enough for every view over a million trials. Half of what clients wait for an answer."""
REST_S = 1.0
"""Longer than a writer pauses that found no memory, so it finds some between two such queries."""
_KNOWN_SHARE = 0.25
_KNOWN_FOR_S = 600.0
_MOST_KNOWN = 256
_ROWS = 16_384
_TABLE = re.compile(r'FROM "\w+"( LIMIT 0)?')
"""A whole table is sent as it is read, and holds up nobody."""
_PURE = (
    "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE"
    " function_type IN ('scalar', 'aggregate') AND stability = 'CONSISTENT'"
    " OR function_type = 'macro' AND database_name = 'system' AND function_name NOT LIKE 'pg@_%'"
    " ESCAPE '@'"
)
"""Functions that give the same value again and do nothing else."""
_ALSO = (
    *("current_database", "current_schema", "current_schemas", "in_search_path", "error", "window"),
    *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"),
    *("nth_value", "first_value", "last_value", "fill", "rank_dense", "pg_typeof", "pg_get_expr"),
    *("unnest", "range", "generate_series", "json_each", "json_tree", "repeat_row", "summary"),
    *("duckdb_tables", "duckdb_views", "duckdb_columns", "duckdb_schemas", "duckdb_databases"),
    *("pragma_table_info", "pragma_storage_info", "pragma_database_size", "histogram"),
)
"""Those that are not said to be, and do no harm: windows, rows from nothing, what there is to ask.
"""
_NEVER = ("getvariable", "current_setting", "set_config", "write_log", "sleep_ms", "setseed")
# json_serialize_sql reads queries only, so whatever it cannot read is no query. Of a query it gives
# every function, whatever the text looks like; each must be one that does nothing but answer.
_ONLY_ANSWERS = """
SELECT
    NOT (parsed ->> 'error')::BOOLEAN
    AND list_has_all({names}, list_transform(
        json_extract_string(parsed, '$..function_name'), lambda name: lower(name)
    ))
FROM (SELECT json_serialize_sql($1::VARCHAR) AS parsed)
"""


class Guard:
    """Decides about one statement at a time, in the threads that will answer them."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        *,
        limit_s: float = LIMIT_S,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._pause = pause
        self._connection = connection
        self._limit_s = limit_s
        self._only_answers = _ONLY_ANSWERS.format(names=literal(_answering(connection)))
        self._turn = threading.Lock()
        self.tried = 0
        """How many were asked here first."""
        self._known: dict[str, float] = {}

    def allows(self, _session: str, statement: str) -> bool:
        """Whether a statement is let in."""
        give_way()
        if not self._turn.acquire(timeout=self._limit_s + 2 * REST_S):
            return False
        try:
            return self._is_query(statement) and self._ends(statement)
        finally:
            self._turn.release()

    def _is_query(self, statement: str) -> bool:
        with self._connection.cursor() as cursor:
            found = cursor.execute(self._only_answers, [statement]).fetchall()
        return found[0][0] is True

    def _ends(self, statement: str) -> bool:
        """Whether it ends in time. After one that did not, the writer gets what it had taken."""
        begun = time.monotonic()
        if _TABLE.fullmatch(statement) or self._known.get(statement, 0.0) > begun:
            return True
        ended = self._asked(statement, begun + self._limit_s)
        now = time.monotonic()
        if not ended:
            self._pause(REST_S)
        elif now - begun < self._limit_s * _KNOWN_SHARE:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[statement] = now + _KNOWN_FOR_S
        return ended

    def _asked(self, statement: str, until: float) -> bool:
        self.tried += 1
        with self._connection.cursor() as cursor, _interrupted(cursor, self._limit_s):
            try:
                for _ in cursor.execute(statement).to_arrow_reader(_ROWS):
                    if time.monotonic() > until:
                        return False
            except (duckdb.InterruptException, duckdb.OutOfMemoryException):
                return False
            except duckdb.Error:
                return True  # whoever asks shall read what is wrong with it
        return True


@contextmanager
def _interrupted(cursor: duckdb.DuckDBPyConnection, after_s: float) -> Generator[None]:
    """What the cursor is doing by then is ended."""

    def interrupt() -> None:
        with suppress(duckdb.Error):  # it has just ended by itself
            cursor.interrupt()

    watchdog = threading.Timer(after_s, interrupt)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def _answering(connection: duckdb.DuckDBPyConnection) -> list[str]:
    pure = {row[0] for row in connection.execute(_PURE).fetchall()}
    return sorted((pure | set(_ALSO)) - set(_NEVER))
