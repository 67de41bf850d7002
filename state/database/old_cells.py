"""Gives cells of version 0.1 what their tasks say of themselves, which it did not write down.

Rows may come without them from an older file, from its journal, or out of a damaged one.
"""

from importlib.resources import files

import duckdb

from state import sql
from state.records import CellRow

FACTS = CellRow.__struct_fields__[CellRow.__struct_fields__.index("family") :]
_MISSING = "SELECT 1 FROM cells WHERE answer IS NULL LIMIT 1"
_HAS_COLUMN = (
    "SELECT count(*) FROM duckdb_columns()"
    " WHERE database_name = current_database() AND table_name = 'cells' AND column_name = 'answer'"
)


def _facts() -> str:
    return files(sql).joinpath("facts_of_old_cells.sql").read_text("utf-8")


def fill_facts(connection: duckdb.DuckDBPyConnection) -> None:
    """Write the facts into cells that lack them."""
    if not connection.execute(_MISSING).fetchall():
        return
    columns = ", ".join(f"{name} = facts.{name}" for name in FACTS)
    connection.execute(
        f"UPDATE cells SET {columns} FROM ({_facts()}) AS facts"  # noqa: S608  our own words
        " WHERE cells.cell_id = facts.cell_id AND cells.answer IS NULL"
    )


def show_facts(connection: duckdb.DuckDBPyConnection) -> None:
    """Put a temporary view before the cells of a file that can only be read, if they lack them."""
    if connection.execute(_HAS_COLUMN).fetchall()[0][0]:
        return
    (name,) = connection.execute("SELECT current_database()").fetchall()[0]
    connection.execute(
        f'CREATE TEMP VIEW cells AS WITH cells AS (FROM "{name}".main.cells),'  # noqa: S608
        f" facts AS ({_facts()})"
        " SELECT cells.*, facts.* EXCLUDE (cell_id) FROM cells INNER JOIN facts USING (cell_id)"
    )
