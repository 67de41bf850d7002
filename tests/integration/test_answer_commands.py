"""`sql`, `status`, `report` and `export` as typed: what they answer, and what they refuse."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from queries.catalog import install
from runner import cli
from state.database.migrate import LATEST, migrate
from state.sharing import quack
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker

ROOT = Path(__file__).parents[2]
Ran = tuple[int, str, str]
Typed = Callable[..., Ran]
READING = (("status",), ("report",), ("sql", "from trials"), ("export", "parquet"))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs a command line in this process; its exit code and what it printed."""

    def run(*words: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["runner", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.run()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small sweep."""
    path = tmp_path_factory.mktemp("sweep") / "sweep.duckdb"
    Maker(("alpha",)).needles(2, (2000, 100_000)).facts.connect(str(path)).close()
    return path


def refused(ran: Ran) -> str:
    """The one line of a refusal."""
    code, out, err = ran
    assert (code, out) == (2, "")
    assert err.startswith("runner: ")
    assert err.count("\n") == 1
    return err


def on(path: Path, command: tuple[str, ...]) -> tuple[object, ...]:
    """The command with its file in front of its own argument."""
    name, *rest = command
    return (name, path, *(path.parent / word if name == "export" else word for word in rest))


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
class TestRefusals:
    def test_no_such_file(self, typed: Typed, tmp_path: Path, command: tuple[str, ...]) -> None:
        assert "none.duckdb: no such file" in refused(typed(*on(tmp_path / "none.duckdb", command)))

    def test_not_a_database(self, typed: Typed, tmp_path: Path, command: tuple[str, ...]) -> None:
        path = tmp_path / "notes.duckdb"
        path.write_text("milk, eggs\n" * 2000)
        assert "notes.duckdb: not a runner file" in refused(typed(*on(path, command)))

    def test_not_our_database(self, typed: Typed, tmp_path: Path, command: tuple[str, ...]) -> None:
        path = tmp_path / "other.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("create table trials (a int)")
        assert "not one that runner wrote" in refused(typed(*on(path, command)))

    def test_a_newer_schema(self, typed: Typed, tmp_path: Path, command: tuple[str, ...]) -> None:
        path = tmp_path / "later.duckdb"
        with duckdb.connect(str(path)) as connection:
            migrate(connection)
            install(connection)
            connection.execute(
                "insert into migrations values (?, 'later', make_timestamp(1))", [LATEST + 1]
            )
        said = refused(typed(*on(path, command)))
        assert f"written by a newer runner (schema {LATEST + 1}" in said


def test_no_such_view_names_what_there_is(typed: Typed, sweep: Path) -> None:
    assert "cell_acuracy" in refused(typed("sql", sweep, "from cell_acuracy"))


def test_an_error_in_sql_is_one_line(typed: Typed, sweep: Path) -> None:
    assert "syntax error" in refused(typed("sql", sweep, "selec 1\nfrom trials"))


def test_an_unknown_format(typed: Typed, sweep: Path) -> None:
    said = refused(typed("sql", sweep, "from trials", "--format", "xml"))
    assert "table, csv, json, jsonl, markdown, latex, parquet" in said


def test_an_empty_sweep_has_nothing_to_report(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    Facts().connect(str(path)).close()
    assert "the file holds no trials yet" in refused(typed("report", path))
    assert "the file holds no sweep yet" in refused(typed("status", path))
    assert typed("sql", path, "select count(*) from trial_results", "--format", "csv")[1] == (
        "count_star()\n0\n"
    )


@pytest.mark.parametrize("command", ["sql", "report", "export"])
def test_own_views_come_from_a_folder(
    typed: Typed, sweep: Path, tmp_path: Path, command: str
) -> None:
    views = tmp_path / "views"
    views.mkdir()
    (views / "mine.sql").write_text(
        "-- grain: one row for the file\nselect count(*) as n from trial_results"
    )
    words = {"sql": ["from mine"], "export": [tmp_path / "out"], "report": []}[command]
    code, out, _ = typed(command, sweep, *words, "--views", views)
    assert code == 0
    if command == "sql":
        assert out.split()[0] == "n"
        assert int(out.split()[-1]) > 0
    if command == "export":
        assert (tmp_path / "out" / "mine.parquet").is_file()


def test_a_folder_of_views_that_cannot_be_used(typed: Typed, sweep: Path, tmp_path: Path) -> None:
    assert "no such folder" in refused(
        typed("sql", sweep, "from trials", "--views", tmp_path / "x")
    )
    (tmp_path / "mine.sql").write_text("-- grain: one row\nselect nothing from nowhere")
    for command in (("sql", sweep, "from trials"), ("report", sweep), ("export", sweep, tmp_path)):
        assert "mine.sql: " in refused(typed(*command, "--views", tmp_path))
    (tmp_path / "mine.sql").write_text("select 1")
    assert "the first line must be" in refused(typed("report", sweep, "--views", tmp_path))


def test_intervals_are_cluster_s_or_wilson_s(typed: Typed, sweep: Path) -> None:
    said = refused(typed("report", sweep, "--interval", "normal"))
    assert "--interval 'normal': must be cluster or wilson" in said
    assert typed("report", sweep, "--interval", "wilson")[0] == 0


def test_another_threshold_moves_the_effective_length(typed: Typed, sweep: Path) -> None:
    said = [typed("report", sweep, "--threshold", share)[1] for share in ("0.5", "0.95")]
    assert said[0] != said[1]
    assert "stays at 50.0 %" in said[0]
    assert "stays at 95.0 %" in said[1]


@pytest.mark.parametrize("share", ["0", "1", "75"])
def test_a_threshold_is_a_share(typed: Typed, sweep: Path, share: str) -> None:
    said = refused(typed("report", sweep, "--threshold", share))
    assert f"--threshold {share}: must be a share between 0 and 1" in said


ATTACHED = """
import sys, duckdb
with duckdb.connect() as connection:
    for path in sys.argv[2:]:
        connection.load_extension(path)
    connection.execute(sys.argv[1])
    answered = 0
    while not answered:  # the writer may only just have begun
        found = connection.execute("select count(*) from live.scores").fetchall()
        answered = found[0][0]
    print(answered)
    print(connection.execute("select sum(n_answered) from live.cell_accuracy").fetchall()[0][0])
"""


@pytest.mark.skipif(
    quack._extension("quack") is None or quack._extension("httpfs") is None,
    reason="no quack extension for this DuckDB (extra `live`)",
)
def test_the_line_of_live_sql_attaches_a_duckdb_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "live.duckdb"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.live_child", str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        line = writer.stdout.readline().strip()
        extensions = [str(quack._extension(name)) for name in ("httpfs", "quack")]
        counts = [
            subprocess.run(
                [sys.executable, "-c", ATTACHED, line, *extensions],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            for _ in range(2)
        ]
        writer.stdin.close()
    assert writer.returncode == 0
    seen = [[int(count) for count in found] for found in counts]
    assert seen[1][0] >= seen[0][0]
    assert seen[1][1] >= seen[0][1]
