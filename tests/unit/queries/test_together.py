from typing import Any

import pytest
from rich.console import Console

from queries.catalog import parse, shipped, views
from queries.together import counts_together, rows_together
from runner.report.answers import Answers, fetch
from runner.report.figures import pictures
from runner.report.tables import BEHIND_REPORT, print_report
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker


@pytest.fixture(scope="module")
def facts():
    maker = Maker(("alpha", "beta"), simulated=True)
    return (
        maker.needles(2, (2000, 16000)).threads(2, (2000, 16000)).magic(2).flenqa(4).chains(3).facts
    )


def test_every_query_says_the_same_alone_and_together_in_the_same_order(facts):
    queries = shipped("figures")
    with facts.connect() as connection:
        (together,) = connection.execute(rows_together(queries, views())).fetchall()
        for query, rows in zip(queries, together, strict=True):
            alone = fetch(connection, query.sql)
            assert [_rounded(row) for row in rows] == [_rounded(row) for row in alone], query.name
    assert sum(map(bool, together)) >= 24


def test_the_order_of_every_query_leaves_no_choice(facts):
    """Where two rows are equal in all that they are ordered by, each run may show another first."""
    with facts.connect() as connection:
        connection.execute(
            "insert into cells select * replace (cell_id || '-' as cell_id, 'compat' as provider)"
            " from cells"
        )
        connection.execute(
            "insert into trials select * replace (trial_id || '-' as trial_id,"
            " cell_id || '-' as cell_id) from trials"
        )
        for table in ("attempts", "scores"):
            key = ", attempt_id || '-' as attempt_id" if table == "attempts" else ""
            connection.execute(
                f"insert into {table} select * replace (trial_id || '-' as trial_id{key})"  # noqa: S608
                f" from {table}"
            )
        for query in shipped("figures"):
            rows = fetch(connection, query.sql)
            _, _, order = query.sql.rpartition("order by ")
            columns = [word.split()[0] for word in order.split(",")]
            if len(rows) > 1 and columns[0] in rows[0]:
                shown = ["asked" if name == "cot" else name for name in columns]
                keys = [tuple(row[name] for name in shown) for row in rows]
                assert len(set(keys)) == len(keys), query.name


def _rounded(row):
    """Sums of floats may be added up in another order, lists side by side may be so too."""
    lists = [name for name, value in row.items() if isinstance(value, list)]
    entries = sorted(zip(*(row[name] for name in lists), strict=True))
    plain = {name: value for name, value in row.items() if name not in lists}
    rounded = {key: round(v, 9) if isinstance(v, float) else v for key, v in plain.items()}
    return {**rounded, "lists": lists, "entries": entries}


def test_a_query_without_rows_is_an_empty_list():
    with Facts().connect() as connection:
        statement = rows_together(shipped("figures"), views())
        (found,) = connection.execute(statement).fetchall()
        names = [query.name for query, rows in zip(shipped("figures"), found, strict=True) if rows]
        assert names == ["settings"]


def test_only_the_views_that_are_read_are_in_the_statement():
    statement = rows_together([q for q in shipped("figures") if q.name == "settings"], views())
    assert "with settings as" in statement
    assert "stg_cells" not in statement


def test_counts_are_of_rows():
    queries = [
        parse("two", "checks", "-- check: a\nselect 1 union all select 2", "-- check: "),
        parse("none", "checks", "-- check: b\nselect 1 where false", "-- check: "),
    ]
    with Facts().connect() as connection:
        assert connection.execute(counts_together(queries)).fetchall() == [(2, 0)]


class Counting:
    """A connection that counts what it is asked."""

    def __init__(self, connection):
        self.connection = connection
        self.asked = 0

    def execute(self, *args):
        self.asked += 1
        return self.connection.execute(*args)


def test_a_report_with_all_its_pictures_asks_four_times(facts):
    with facts.connect() as connection:
        counting: Any = Counting(connection)
        answers = Answers(counting)
        answers.read(answers.names)
        print_report(answers, Console(quiet=True))
        list(pictures(answers))
    assert counting.asked == 4  # axes, names that models share, all answers, all checks


def test_the_tables_of_a_report_need_no_query_beyond_those_named(facts):
    with facts.connect() as connection:
        counting: Any = Counting(connection)
        answers = Answers(counting)
        answers.read(BEHIND_REPORT)
        print_report(answers, Console(quiet=True))
    assert counting.asked == 4


def test_own_views_are_used_in_place_of_the_shipped_ones(facts):
    with facts.connect() as connection:
        half = Answers(connection, own_views=views(threshold=0.5)).rows("effective")
        assert {row["threshold"] for row in half} == {0.5}
        assert {row["threshold"] for row in Answers(connection).rows("effective")} == {0.75}
