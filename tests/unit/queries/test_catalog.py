"""Finding, ordering and installing query files."""

import duckdb
import pytest

from queries.catalog import QueryError, from_folder, install_temporary, parse, shipped, views
from tests.sql.facts import Facts

CONTRACT = {
    "trial_results",
    "cell_accuracy",
    "refusals",
    "false_bias",
    "effective_context",
    "needlechain_errors",
    "needlechain_positions",
    "cot_coverage",
    "early_answers",
    "odds_ratios",
    "overall_accuracy",
    "tokenization",
    "spend",
    "latency",
    "outcomes",
    "progress",
    "standing_errors",
    "cmp_models",
}


def test_the_contracts_views_are_marts():
    assert {query.name for query in shipped("marts")} >= CONTRACT


@pytest.mark.parametrize("layer", ["staging", "marts", "checks", "figures"])
def test_every_file_states_its_grain_and_holds_one_query(layer):
    queries = shipped(layer)
    assert queries
    for query in queries:
        assert query.grain
        assert len(duckdb.extract_statements(query.sql)) == 1


def test_a_view_comes_after_those_it_reads():
    names = [query.name for query in views()]
    assert names.index("stg_cells") < names.index("trial_results")
    assert names.index("context_frontier") < names.index("effective_context")


@pytest.mark.parametrize("query", views(), ids=lambda query: query.name)
def test_every_view_answers_on_an_empty_file(query):
    with Facts().connect() as connection:
        rows = connection.table(query.name).fetchall()
    assert len(rows) == {"settings": 1, "stg_student_t": 2000}.get(query.name, 0)


def test_a_users_folder_adds_and_replaces_views(tmp_path):
    (tmp_path / "mine.sql").write_text("-- grain: one row\nselect threshold from settings;\n")
    (tmp_path / "settings.sql").write_text("-- grain: one row\nselect 0.5 as threshold")
    own = from_folder(tmp_path)
    assert [query.name for query in own] == ["mine", "settings"]
    names = [query.name for query in views(tmp_path)]
    assert names.index("settings") < names.index("mine")


def test_a_users_view_reads_ours(tmp_path):
    (tmp_path / "mine.sql").write_text("-- grain: one row\nselect count(*) as n from cell_accuracy")
    facts = Facts().sweep()
    facts.cell("needle_threading.single_needle", 2000, depth=0)
    with facts.connect(str(tmp_path / "own.duckdb")) as connection:
        install_temporary(connection, tmp_path)
        assert connection.execute("select n from mine").fetchone() == (1,)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Bad-Name", "-- grain: x\nselect 1", "lower-case"),
        ("mine", "select 1", "first line"),
    ],
)
def test_a_file_that_is_no_query_is_named(name, text, words):
    with pytest.raises(QueryError, match=words) as caught:
        parse(name, "user", text)
    assert f"{name}.sql" in str(caught.value)


def test_sql_that_does_not_run_names_its_file(tmp_path):
    (tmp_path / "mine.sql").write_text("-- grain: one row\nselect nothing from nowhere")
    with (
        Facts().connect(str(tmp_path / "own.duckdb")) as connection,
        pytest.raises(QueryError, match=r"mine\.sql"),
    ):
        install_temporary(connection, tmp_path)


def test_views_in_a_circle_and_missing_folders_are_said(tmp_path):
    with pytest.raises(QueryError, match="no such folder"):
        views(tmp_path / "nowhere")
    (tmp_path / "one.sql").write_text("-- grain: x\nselect * from two")
    (tmp_path / "two.sql").write_text("-- grain: x\nselect * from one")
    with pytest.raises(QueryError, match="circle"):
        views(tmp_path)
