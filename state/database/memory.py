"""How much memory DuckDB may take: what its heaviest rows need, and little more.

DuckDB reads, compresses and checkpoints a column by the 2,048 rows, and holds all their texts while
it does. So what it must have follows the texts, and no constant is right: too little breaks a file
that holds long ones, too much fills up with pages of one that does not.
"""

from collections import defaultdict, deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

import duckdb

VECTOR_ROWS = 2_048
FLOOR = 112 << 20
"""Every view works on a million trials with short replies, also with a tenth less."""
READER_FLOOR = 160 << 20
RESUME_BYTES = 1 << 30
"""What is missing of ten million trials is found in so much memory."""
_OPENING = 640 << 20
LIGHT = 16 << 20
"""Texts of so many bytes in a vector need no room of their own."""
COPIES = 2
"""Of a vector's texts that are held at once: as read, as compressed, and on the way out."""
GROWTH = 1.1
"""A heavier vector is written down where it is heavier than the last one by so much."""
_FIRST_ROWS = 32
KEY = "heaviest_vector"
TEXTS: Mapping[str, tuple[str, ...]] = {
    "completions": ("text", "reasoning_text"),
    "prompts": ("messages",),
}
"""Columns without a bound of their own."""


def limit(heaviest: int, floor: int = FLOOR) -> int:
    """Bytes of memory for a file whose heaviest vector has texts of so many bytes."""
    return floor + (COPIES * heaviest if heaviest > LIGHT else 0)


class Stride:
    """How many rows of long texts to read at a time: as many as were about so many bytes so far."""

    def __init__(self, n_bytes: int, most: int) -> None:
        self.rows = min(_FIRST_ROWS, most)
        self._n_bytes = n_bytes
        self._most = most

    def seen(self, rows: int, n_bytes: int) -> None:
        """The last ones were so many, of so many bytes."""
        fits = self._n_bytes * max(1, rows) // max(1, n_bytes)
        self.rows = max(1, min(fits, 2 * self.rows, self._most))


def known_heaviest(connection: duckdb.DuckDBPyConnection) -> int | None:
    """What the file says of its heaviest vector; None if nobody has looked yet."""
    found = connection.execute(
        "SELECT max(value::BIGINT) FROM meta WHERE key = ?", [KEY]
    ).fetchall()
    return found[0][0]


def fit_reader(connection: duckdb.DuckDBPyConnection) -> int | None:
    """Give a connection that only reads what the file's texts need; how heavy they are."""
    heaviest = known_heaviest(connection)
    if heaviest is not None:
        _set_limit(connection, limit(heaviest, READER_FLOOR))
        if heaviest > LIGHT:  # each thread reads a vector of its own
            connection.execute("SET threads = 1")
    return heaviest


class Texts:
    """Follows the texts that one writer adds, and raises its DuckDB's memory before they come."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        known = known_heaviest(connection)
        self._written = known
        _set_limit(connection, _OPENING)
        try:
            self._heaviest = _measured(connection) if known is None else known
        except duckdb.OutOfMemoryException:
            connection.execute("RESET memory_limit")
            self._heaviest = _measured(connection)
        self._newest: dict[str, deque[tuple[int, int]]] = defaultdict(deque)
        for table in TEXTS:
            self._newest[table].append(_last_vector(connection, table))
        self._limit: int | None = None

    def fit(self) -> None:
        """From now on no more memory is taken than the texts need."""
        self._limit = limit(self._heaviest)
        _set_limit(self._connection, self._limit)

    @contextmanager
    def roomy(self, n_bytes: int) -> Generator[None]:
        """With more memory for a question about millions of trials."""
        _set_limit(self._connection, max(n_bytes, limit(self._heaviest)))
        try:
            yield
        finally:
            self.fit()

    def expect(self, sizes: Sequence[tuple[str, int, int]]) -> None:
        """So many rows, of so many bytes, are about to be added to these tables."""
        for table, rows, n_bytes in sizes:
            newest = self._newest[table]
            newest.append((rows, n_bytes))
            while sum(count for count, _ in newest) - newest[0][0] >= VECTOR_ROWS:
                newest.popleft()
            self._heaviest = max(self._heaviest, sum(size for _, size in newest))
        if self._limit is not None and limit(self._heaviest) > self._limit:
            self.fit()

    @property
    def heaviest(self) -> int:
        """Bytes of the texts of the heaviest vector."""
        return self._heaviest

    @property
    def news(self) -> int | None:
        """What `meta` should say of the heaviest vector, where it says too little."""
        if self._written is None:
            return self._heaviest
        told = max(LIGHT, int(self._written * GROWTH))
        return self._heaviest if self._heaviest > told else None

    def written(self, heaviest: int) -> None:
        """`meta` says so now."""
        self._written = heaviest


def _set_limit(connection: duckdb.DuckDBPyConnection, n_bytes: int) -> None:
    connection.execute(f"SET memory_limit = '{n_bytes}B'")


def _measured(connection: duckdb.DuckDBPyConnection) -> int:
    return max(
        connection.execute(
            f"SELECT coalesce(max(size), 0)::BIGINT FROM (SELECT sum({_bytes(table)}) AS size"
            f" FROM {table} GROUP BY rowid // {VECTOR_ROWS})"
        ).fetchall()[0][0]
        for table in TEXTS
    )


def _last_vector(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[int, int]:
    """Rows and bytes of the vector that the next row will go to."""
    return connection.execute(
        f"SELECT count(*), coalesce(sum({_bytes(table)}), 0)::BIGINT FROM {table} WHERE rowid >="
        f" (SELECT coalesce(max(rowid) + 1, 0) // {VECTOR_ROWS} * {VECTOR_ROWS} FROM {table})"
    ).fetchall()[0]


def _bytes(table: str) -> str:
    return " + ".join(f"coalesce(strlen({column}::VARCHAR), 0)" for column in TEXTS[table])
