"""Sets of repeats that are read as rows stream by."""

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.database import repeats
from state.database.repeats import repeats_by_cell

ROWS = st.lists(st.tuples(st.sampled_from(["a", "b", "ä, c"]), st.integers(0, 2**31 - 1)))


@given(ROWS)
def test_every_row_is_in_the_set_of_its_cell_and_nothing_else(rows: list[tuple[str, int]]) -> None:
    with duckdb.connect() as connection:
        asked = pa.table(
            {
                "cell_id": pa.array([cell for cell, _ in rows], pa.string()),
                "repeat": pa.array([repeat for _, repeat in rows], pa.int32()),
            }
        )
        connection.register("asked", asked)
        found = repeats_by_cell(connection.execute("SELECT cell_id, repeat FROM asked"))
    assert {cell: set(of_cell) for cell, of_cell in found.items()} == {
        cell: {repeat for of, repeat in rows if of == cell} for cell, _ in rows
    }


def test_cells_meet_again_in_later_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "_ROWS", 2048)  # DuckDB's smallest batch
    with duckdb.connect() as connection:
        asked = connection.execute(
            "SELECT 'cell-' || i % 3 AS cell_id, (i // 3)::INTEGER AS repeat FROM range(9000) r(i)"
        )
        found = repeats_by_cell(asked)
    assert {cell: list(of_cell) for cell, of_cell in found.items()} == {
        f"cell-{i}": list(range(3000)) for i in range(3)
    }


def test_a_number_that_no_plan_has_is_kept_cheaply() -> None:
    with duckdb.connect() as connection:
        found = repeats_by_cell(connection.execute("SELECT 'a', unnest([-1, 7, 2147483647])::INT"))
    assert 7 in found["a"]
    assert len(found["a"].serialize()) < 100
