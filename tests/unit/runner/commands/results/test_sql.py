"""`runner sql` and `runner export` over a file at rest."""

import asyncio
import io
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest

from queries import catalog
from runner.commands.results import export, sql
from runner.errors import UsageError
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "a.duckdb"
    store = DuckStore.open(path, install_views=catalog.install, create=True)
    facts = (
        rows.sweep(),
        rows.cell(),
        rows.sweep_cell(),
        rows.trial(),
        rows.start(),
        rows.attempt(),
        rows.completion(text='say "hi",\nthen go'),
        rows.score(),
    )
    asyncio.run(store.append(*facts))
    store.close()
    return path


def ask(db: Path, query: str | None, fmt: str) -> str:
    out = io.StringIO()
    assert sql.run(db, query, fmt, out) == 0
    return out.getvalue()


def test_csv_quotes_and_leaves_unknown_empty(db: Path) -> None:
    query = "SELECT text, reasoning_text, 0.5 AS half FROM completions"
    assert ask(db, query, "csv") == 'text,reasoning_text,half\n"say ""hi"",\nthen go",,0.5\n'


def test_json_nests_json_and_keeps_whole_numbers(db: Path) -> None:
    query = "SELECT target, cost_pusd, started_at, 2::HUGEINT ** 70 > 1 AS big, NULL AS n"
    found = orjson.loads(ask(db, f"{query} FROM trials JOIN attempts USING (trial_id)", "json"))
    assert found == [
        {
            "target": {"expected": ["x"]},
            "cost_pusd": 600,
            "started_at": "2026-09-21T14:13:20",
            "big": True,
            "n": None,
        }
    ]
    assert orjson.loads(ask(db, "FROM trials WHERE false", "json")) == []
    assert orjson.loads(ask(db, "SELECT 1180591620717411303424::HUGEINT AS h", "json")) == [
        {"h": "1180591620717411303424"}
    ]


def test_a_table_cuts_nothing_when_nobody_looks(db: Path) -> None:
    shown = ask(db, "SELECT repeat('x', 300) AS a, 1/3 AS third, NULL AS n", "table")
    assert "x" * 300 in shown
    assert "0.333333" in shown
    assert len(shown.splitlines()) == 3


def test_parquet_goes_to_standard_output(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with path.open("w") as out:
        assert sql.run(db, "SELECT trial_id, value FROM scores", "parquet", out) == 0
    assert pq.read_table(path).to_pylist() == [{"trial_id": "trial-1", "value": 1.0}]


def test_a_query_may_come_from_standard_input(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 1 AS a;\n"))
    assert ask(db, None, "csv") == "a\n1\n"


def test_without_a_query_what_can_be_asked_is_listed(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    listed = ask(db, None, "table")
    assert "one row per cell (task point x model x decoding)" in listed
    assert "reservations" in listed


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("FROM nowhere", "nowhere"),
        ("SELECT nope FROM trials", "nope"),
        ("DROP TABLE trials", "read-only"),
    ],
)
def test_a_query_that_cannot_be_is_one_line(db: Path, query: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        ask(db, query, "table")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_other_mistakes_are_one_line(db: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="table, csv, json, jsonl, markdown, latex, parquet"):
        ask(db, "SELECT 1", "xml")
    with pytest.raises(StoreError, match="no such file"):
        ask(tmp_path / "none.duckdb", "SELECT 1", "csv")
    with pytest.raises(UsageError, match="cannot be a folder"):
        export.run(db, db)


def test_export_writes_every_table_and_view(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "parquet"
    assert export.run(db, folder) == 0
    written = {path.stem for path in folder.iterdir()}
    listed = ask(
        db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'", "csv"
    )
    assert written == set(listed.splitlines()[1:])
    assert {path.suffix for path in folder.iterdir()} == {".parquet"}
    assert pq.read_table(folder / "completions.parquet").num_rows == 1
    assert "completions.parquet  1 rows" in capsys.readouterr().out


def test_tables_for_documents_and_a_line_a_row(db: Path) -> None:
    query = "SELECT 'a_b' AS name, 2 AS n UNION ALL SELECT 'c', 3 ORDER BY n"
    assert ask(db, query, "jsonl") == '{"name":"a_b","n":2}\n{"name":"c","n":3}\n'
    assert "| a\\_b | 2 |\n" in ask(db, query, "markdown")
    assert "a\\_b & 2 \\\\\n" in ask(db, query, "latex")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_wide_row_is_a_record_on_a_screen(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    columns = ", ".join(f"1234567890123456 + {index} AS column_{index}" for index in range(8))
    out = Screen()
    assert sql.run(db, f"SELECT {columns}", "table", out) == 0
    lines = out.getvalue().splitlines()
    assert [line.split() for line in lines if line] == [
        [f"column_{index}", str(1234567890123456 + index)] for index in range(8)
    ]
