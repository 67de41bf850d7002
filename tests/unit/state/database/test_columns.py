import duckdb

from state.database.migrate import migrate
from state.tables import TABLES


def test_columns_stand_in_the_order_of_the_records() -> None:
    with duckdb.connect() as connection:
        migrate(connection)
        for table in TABLES.values():
            found = connection.execute(
                "SELECT column_name FROM duckdb_columns() WHERE table_name = ?"
                " ORDER BY column_index",
                [table.name],
            ).fetchall()
            assert tuple(row[0] for row in found) == table.names
