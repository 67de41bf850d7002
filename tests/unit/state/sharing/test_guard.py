from collections.abc import Iterator

import duckdb
import pytest

from state.database.writer import MEMORY_PAUSES_S
from state.sharing.guard import LIMIT_S, REST_S, Guard

ENDLESS = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = -1"
LATER = "SELECT 1 UNION ALL SELECT a.range FROM range(1000000) a, range(1000000) b"
RECURSIVE = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT 1 - i FROM r) SELECT max(i) FROM r"
HUGE = "SELECT count(*) FROM (SELECT list(range) FROM range(100000000) GROUP BY range)"
SHORT_S = 0.3


def no_pause(_: float) -> None: ...


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as made:
        made.execute("CREATE TABLE trials AS FROM range(10)")
        yield made


@pytest.mark.parametrize(
    "statement",
    [
        "FROM trials",
        "SELECT upper('a'), sum(range) OVER () FROM trials",
        "WITH x AS (FROM trials) SELECT count(*) FROM x",
        "SELECT nothing FROM trials",  # the server says best what is wrong with it
    ],
)
def test_a_query_that_ends_is_let_in(connection: duckdb.DuckDBPyConnection, statement: str):
    assert Guard(connection).allows("", statement)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE trials",
        "FROM trials; DROP TABLE trials",
        "SELECT random()",
        "SELECT now()",
        "garbage",
    ],
)
def test_what_does_more_or_another_thing_each_time_is_not(
    connection: duckdb.DuckDBPyConnection, statement: str
):
    assert not Guard(connection).allows("", statement)


@pytest.mark.parametrize("statement", [ENDLESS, LATER, RECURSIVE])
def test_a_query_that_does_not_end_in_time_is_ended_and_not_let_in(
    connection: duckdb.DuckDBPyConnection, statement: str
):
    guard = Guard(connection, limit_s=SHORT_S, pause=no_pause)
    assert not guard.allows("", statement)
    assert connection.execute("SELECT count(*) FROM trials").fetchall() == [(10,)]


def test_a_query_that_needs_more_memory_than_there_is_is_not_let_in(
    connection: duckdb.DuckDBPyConnection,
):
    connection.execute("SET memory_limit = '100MB'")
    connection.execute("SET temp_directory = ''")
    assert not Guard(connection, limit_s=60.0, pause=no_pause).allows("", HUGE)


def test_after_such_a_query_the_writer_gets_a_moment(connection: duckdb.DuckDBPyConnection):
    pauses = list[float]()
    guard = Guard(connection, limit_s=SHORT_S, pause=pauses.append)
    assert guard.allows("", "SELECT 1")
    assert not pauses
    assert not guard.allows("", ENDLESS)
    assert pauses == [REST_S]
    assert max(MEMORY_PAUSES_S) < REST_S, "so that the writer asks for memory meanwhile"
    assert sum(MEMORY_PAUSES_S) > LIMIT_S + REST_S


def test_a_query_that_was_let_in_is_not_tried_again(connection: duckdb.DuckDBPyConnection):
    guard = Guard(connection)
    assert guard.allows("", "SELECT 1")
    before = guard.tried
    assert guard.allows("", "SELECT 1")
    assert guard.allows("", 'FROM "trials"')
    assert guard.tried == before
