"""A reader sees today's views, its own ones and its own threshold, and the file stays as it was."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from queries.catalog import QueryError, fingerprint, install, views
from queries.reading import open_with_views
from runner.commands.results import export
from state.records import SweepRow
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes.no_views import no_views
from tests.sql.facts import Facts

SINGLE = "needle_threading.single_needle"


@pytest.fixture
def path(tmp_path):
    facts = Facts().sweep()
    for size, value in ((1000, 1.0), (2000, 0.7), (4000, 0.0)):
        cell = facts.cell(SINGLE, size, depth=0)
        for _ in range(10):
            facts.trial(cell, value)
    assert facts.rows[SweepRow]
    path = tmp_path / "sweep.duckdb"
    facts.connect(str(path)).close()
    return path


def test_a_file_of_this_build_is_read_with_views_that_it_cannot_have_changed(path: Path):
    with open_with_views(path) as reader:
        found = reader.connection.execute("select value from meta where key = 'views'").fetchall()
        temporary = reader.connection.execute(
            "select view_name from duckdb_views() where temporary and not internal"
        )
        assert found == [(fingerprint(),)]
        assert {row[0] for row in temporary.fetchall()} == {view.name for view in views()}


@pytest.mark.parametrize(
    "stale",
    ["update meta set value = 'older' where key = 'views'", "delete from meta where key = 'views'"],
)
def test_a_file_of_another_build_is_read_with_todays_views(path: Path, stale: str):
    with duckdb.connect(path) as connection:
        connection.execute(stale)
        connection.execute("create or replace view cell_accuracy as select 'stale' as word")
        connection.execute("create or replace view settings as select 0.1 as threshold")
        connection.execute("drop view refusals")
    before = path.read_bytes()
    with open_with_views(path) as reader:
        rows = reader.connection.execute("select n_answered from cell_accuracy").fetchall()
        threshold = reader.connection.execute("select any_value(threshold) from effective_context")
        assert rows == [(10,)] * 3
        assert threshold.fetchall() == [(0.75,)]
        assert reader.connection.execute("select count(*) from refusals").fetchall() == [(3,)]
    assert path.read_bytes() == before


@pytest.mark.parametrize(("threshold", "chars"), [(None, 1833.3), (0.85, 1500.0), (0.35, 3000.0)])
def test_the_threshold_moves_the_effective_length(path: Path, threshold, chars):
    with open_with_views(path, threshold=threshold) as reader:
        found = reader.connection.execute(
            "select threshold, effective_chars from effective_context"
        ).fetchall()
    assert found == [(threshold or 0.75, pytest.approx(chars, abs=0.1))]


@pytest.mark.parametrize("interval", ["cluster", "wilson"])
def test_the_reader_chooses_the_intervals(path: Path, interval: str):
    with open_with_views(path, interval=interval) as reader:
        found = reader.connection.execute("select interval_kind from settings").fetchall()
    assert found == [(interval,)]


def test_intervals_that_nobody_knows_are_no_sql(path: Path):
    with pytest.raises(QueryError, match="must be cluster or wilson"):
        open_with_views(path, interval="x' as y, 'z")


def test_a_folder_adds_views_and_replaces_ours(path: Path, tmp_path: Path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "answers.sql").write_text(
        "-- grain: one row\nselect sum(n_answered) as n from cell_accuracy\n"
    )
    (folder / "refusals.sql").write_text("-- grain: one row\nselect 'mine' as word\n")
    before = path.read_bytes()
    with open_with_views(path, folder) as reader:
        assert reader.connection.execute("from answers").fetchall() == [(30,)]
        assert reader.connection.execute("from refusals").fetchall() == [("mine",)]
    assert path.read_bytes() == before


def test_a_wrong_file_in_the_folder_is_named(path: Path, tmp_path: Path):
    (tmp_path / "wrong.sql").write_text("-- grain: one row\nselect nothing_of_that_name\n")
    with pytest.raises(QueryError, match=r"wrong\.sql"):
        open_with_views(path, tmp_path)


@pytest.mark.parametrize("asked", [{}, {"threshold": 0.5}, {"interval": "wilson"}])
def test_nothing_is_said_of_views_that_are_ours(path: Path, asked: dict[str, Any]):
    with open_with_views(path, **asked) as reader:
        assert reader.notice is None


def escaped(folder: Path) -> list[Path]:
    return list(folder.rglob("*ESCAPED*"))


async def test_a_file_from_elsewhere_is_data_and_its_views_are_not_run(tmp_path: Path) -> None:
    path, secret = tmp_path / "a.duckdb", tmp_path / "secret"
    secret.write_text("secret")
    await DuckStore.open(path, install_views=install, create=True).aclose()
    with duckdb.connect(str(path)) as connection:
        evil = f"SELECT content FROM read_text('{secret}')"  # noqa: S608  as somebody else would
        connection.execute(f"CREATE OR REPLACE VIEW progress AS {evil}")
        connection.execute(f'CREATE VIEW "../../ESCAPED" AS {evil}')
    before = path.read_bytes()
    with open_with_views(path) as reader:
        assert reader.connection.execute("FROM progress").fetchall() == []
        assert reader.notice is not None
        assert reader.notice.endswith("not run, but its own in their place: progress")
    assert export.run(path, tmp_path / "out" / "in") == 0
    assert not escaped(tmp_path)
    assert path.read_bytes() == before


async def test_a_view_in_the_place_of_a_table_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    await DuckStore.open(path, install_views=no_views, create=True).aclose()
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP TABLE completions")
        connection.execute("CREATE VIEW completions AS FROM read_text('/etc/passwd')")
    with pytest.raises(StoreError, match="not one that runner wrote"):
        open_with_views(path)
