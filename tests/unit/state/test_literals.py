from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.literals import inlined, literal

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@given(value=values | st.lists(texts, min_size=1))
def test_a_literal_is_its_value(connection: duckdb.DuckDBPyConnection, value: Any) -> None:
    assert connection.execute(f"SELECT {literal(value)}").fetchall() == [(value,)]


@given(first=values, second=values)
def test_written_out_means_the_same(
    connection: duckdb.DuckDBPyConnection, first: Any, second: Any
) -> None:
    by_place = 'SELECT \'?é\', ?, "$a" /* ? */, ? FROM (SELECT 1 AS "$a") -- $b ?'
    written = connection.execute(inlined(by_place, [first, second])).fetchall()
    assert written == [("?é", first, 1, second)]
    by_name = "SELECT $second, 'ü$first', $first, $second"
    written = connection.execute(inlined(by_name, {"first": first, "second": second})).fetchall()
    assert written == [(second, "ü$first", first, second)]


def test_numbered_places() -> None:
    assert inlined("SELECT $2, $1", ["a", 2]) == "SELECT 2, 'a'"


def test_a_value_without_a_literal_is_refused() -> None:
    with pytest.raises(TypeError, match="no SQL for a set"):
        inlined("SELECT ?", [{1}])
    with pytest.raises(TypeError):
        literal(float("nan"))
    with pytest.raises(TypeError, match="NUL"):
        literal("a\0b")
