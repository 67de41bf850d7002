import duckdb

from state.database.migrate import LATEST, check_version, migrate


def test_migrating_twice_changes_nothing() -> None:
    with duckdb.connect() as connection:
        migrate(connection)
        migrate(connection, since=check_version(connection, "a"))
        assert connection.execute("SELECT count(*) FROM migrations").fetchall() == [(LATEST,)]
