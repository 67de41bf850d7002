"""What version 0.1 left unsaid about its cells is filled in as the tasks say it today."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import asdict, replace

from queries.catalog import install_temporary
from runner.plan.cell import make_cell, plan_point
from state.database.migrate import migrate, migrations
from state.database.old_cells import FACTS, fill_facts, show_facts
from state.records import CellRow
from tasks.catalog import TASKS, build
from tasks.options import TaskOptions
from tests.fakes.plans import plan_of, sweep_text
from tests.fakes.rows import cell

_FACTS_OF = f"select {', '.join(FACTS)} from cells"  # noqa: S608
NAMES = tuple(TASKS)
"""All tasks of version 0.1; one that is added later was never in an old file."""


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        migrate(made)
        yield made


def unsaid(row: CellRow) -> CellRow:
    return replace(row, **dict.fromkeys(FACTS))


def insert(connection: duckdb.DuckDBPyConnection, row: CellRow, columns: int | None = None) -> None:
    values = list(asdict(row).values())[:columns]
    places = ", ".join("?" * len(values))
    connection.execute(f"insert into cells values ({places})", values)  # noqa: S608


def facts_in(connection: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return connection.execute(_FACTS_OF).fetchall()


def said(row: CellRow) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in FACTS)


@pytest.mark.parametrize("name", NAMES)
def test_old_cells_say_what_tasks_say(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    task, (model,) = build(name, TaskOptions()), plan_of(sweep_text())[1].models
    points = list(task.points({}))
    for point in (points[0], points[len(points) // 2], points[-1]):
        row = make_cell(model.model, plan_point(task, point, point.point_id, 1)).to_row()
        connection.execute("delete from cells")
        insert(connection, unsaid(row))
        fill_facts(connection)
        assert facts_in(connection) == [said(row)]


def test_what_is_said_stays(connection: duckdb.DuckDBPyConnection) -> None:
    mine = cell(chance=0.123)
    insert(connection, mine)
    insert(connection, unsaid(cell("cell-2")))
    fill_facts(connection)
    assert facts_in(connection) == [said(mine), said(cell())]


def test_a_judge_is_no_benchmark(connection: duckdb.DuckDBPyConnection) -> None:
    insert(connection, unsaid(cell(task="judge.rating", size=None)))
    fill_facts(connection)
    assert connection.execute("select answer, overall from cells").fetchall() == [
        ("judgement", None)
    ]


def test_a_point_that_nobody_can_read_hurts_no_file(connection: duckdb.DuckDBPyConnection) -> None:
    odd = cell(task="needlechain.stack", point='{"k":"many","threads":"x","cot":"maybe"}')
    insert(connection, unsaid(odd))
    insert(connection, unsaid(replace(odd, cell_id="cell-2", task="flenqa.pir")))
    insert(connection, unsaid(replace(odd, cell_id="cell-3", task="elsewhere")))
    fill_facts(connection)
    assert connection.execute("select family from cells order by cell_id").fetchall() == [
        ("needlechain",),
        ("flenqa",),
        ("elsewhere",),
    ]


def old_file(path: Path) -> None:
    """A file as version 0.1 left it: two steps of today's schema."""
    with duckdb.connect(str(path)) as connection:
        for step in migrations():
            if step.version <= 2:
                connection.execute(step.sql)
        insert(connection, cell(), columns=-len(FACTS))


def test_a_file_that_can_only_be_read_shows_them_too(tmp_path: Path) -> None:
    old_file(tmp_path / "a.duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb"), read_only=True) as connection:
        show_facts(connection)
        install_temporary(connection)
        assert facts_in(connection) == [said(cell())]
        read = connection.execute("select task, chance from accuracy_by_size").fetchall()
        assert read == [("needle_threading.single_needle", 0.04)]


def test_a_file_of_today_is_shown_as_it_is(connection: duckdb.DuckDBPyConnection) -> None:
    insert(connection, cell(chance=0.5))
    show_facts(connection)
    assert connection.execute("select chance from cells").fetchall() == [(0.5,)]
