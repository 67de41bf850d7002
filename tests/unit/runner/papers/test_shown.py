"""How a paper's table is laid out, from values alone."""

from runner.papers.published import PAPERS
from runner.papers.shown import grids, records
from runner.papers.tables import Value
from runner.terminal.grid import Bold

PAPER = PAPERS["needle-threading"]
TABLE = PAPER.tables[0]


def value(who: str, number: float | None, **other: object) -> Value:
    given = {"column": "2000", "said": str(number), "n": 5, **other}
    return Value(who=who, value=number, **given)  # type: ignore[arg-type]


def test_the_best_of_several_is_in_bold_and_the_only_one_is_not() -> None:
    two = [value("a", 0.5), value("b", 0.75), value("c", None)]
    (grid,) = grids("needle-threading", PAPER, TABLE, two)
    assert [isinstance(row[1], Bold) for row in grid.rows] == [False, True, False]
    (grid,) = grids("needle-threading", PAPER, TABLE, two[:1])
    assert not isinstance(grid.rows[0][1], Bold)


def test_made_up_data_is_said_and_what_has_no_value_counts_no_answers() -> None:
    (grid,) = grids("needle-threading", PAPER, TABLE, [value("a", None, simulated=True)])
    assert "SIMULATED DATA" in grid.note
    assert grid.rows == [["a", "None", ""]]


def test_without_values_there_is_still_a_table() -> None:
    (grid,) = grids("needle-threading", PAPER, TABLE, [])
    assert grid.rows == []
    assert records("needle-threading", TABLE, []) == []
