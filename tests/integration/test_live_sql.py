"""SQL while another process writes: live through quack, by snapshot without it."""

import contextlib
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import orjson
import pytest

from queries.catalog import views
from runner.commands.results import export, sql
from runner.errors import UsageError
from state.literals import literal
from state.sharing import quack
from state.sharing.lock import writer_pid
from state.sharing.reading import open_for_reading
from state.sharing.snapshot import snapshot_file
from state.store import StoreError

ROOT = Path(__file__).parents[2]
COUNT = "SELECT count(*) FROM trials"
DESCENDING = "SELECT i FROM range(5000) AS r(i) UNION ALL SELECT -1 ORDER BY i DESC"
HAS_QUACK = quack.load_quack(duckdb.connect(config={"autoinstall_known_extensions": False}))
needs_quack = pytest.mark.skipif(
    not HAS_QUACK, reason="no quack extension for this DuckDB (extra `live`)"
)


@dataclass(frozen=True, kw_only=True)
class Writer:
    path: Path
    attach_line: str


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writer]:
    path = tmp_path_factory.mktemp("live") / "it's live.duckdb"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.integration.live_child", str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield Writer(path=path, attach_line=child.stdout.readline().strip())
        child.stdin.close()
    assert child.returncode == 0
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with open_for_reading(path) as reader:
        assert not reader.live
        assert reader.notice is None


@pytest.fixture(params=["quack", "snapshot"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "snapshot":
        monkeypatch.setattr("state.sharing.reading.read_address", lambda _: None)
    elif not HAS_QUACK:
        pytest.skip("no quack extension for this DuckDB (extra `live`)")
    return request.param


def test_counts_never_go_backwards(writer: Writer, way: str) -> None:
    counts: list[int] = []
    for _ in range(100):
        with open_for_reading(writer.path) as reader:
            assert reader.live
            counts += [reader.connection.execute(COUNT).fetchall()[0][0] for _ in range(3)]
        if len(counts) >= 12 and counts[-1] > 0:  # the first rows may be a moment away
            break
    assert counts == sorted(counts)
    assert counts[-1] > 0


@pytest.mark.parametrize("end", ["", ";", " -- newest first", " ;\n"])
def test_rows_come_in_the_order_that_was_asked_for(writer: Writer, way: str, end: str) -> None:
    query = DESCENDING + end
    with open_for_reading(writer.path) as reader:
        found = [row[0] for row in reader.connection.execute(query).fetchall()]
    assert found == list(range(4999, -2, -1))


def test_tables_and_views_answer_the_same_question_the_same_way(writer: Writer, way: str) -> None:
    with open_for_reading(writer.path) as reader:
        found = reader.connection.execute(
            "SELECT (SELECT count(*) FROM attempts WHERE final) - sum(n_answered),"
            " any_value(model) FROM cell_accuracy"
        ).fetchall()
    assert found == [(0, "openai/gpt-test")]


def test_joins_parameters_and_own_views_work(writer: Writer, way: str) -> None:
    with open_for_reading(writer.path) as reader:
        connection = reader.connection
        joined = "SELECT a.outcome FROM trials t JOIN attempts a USING (trial_id)"
        assert connection.execute(f"{joined} WHERE t.trial_id = ?", ["t0"]).fetchall() == [
            ("answered",)
        ]
        connection.execute(f"CREATE TEMP VIEW mine AS {joined} WHERE t.trial_id = 't0'")
        assert connection.execute("FROM mine").fetchall() == [("answered",)]
        assert connection.sql("SELECT 42 AS a").fetchall() == [(42,)]


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE trials", "DELETE FROM trials", "CREATE TABLE z (a INT)", "SELECT 1; DROP TABLE z"],
)
def test_a_reader_changes_nothing(writer: Writer, way: str, statement: str) -> None:
    with open_for_reading(writer.path) as reader:
        before = reader.connection.execute(COUNT).fetchall()[0][0]
        with contextlib.suppress(duckdb.Error):  # what is made in the reader's memory is its own
            reader.connection.execute(statement)
    with open_for_reading(writer.path) as reader:
        assert reader.connection.execute(COUNT).fetchall()[0][0] >= before
        names = reader.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert ("z",) not in names


@needs_quack
def test_the_printed_line_attaches_and_the_token_is_private(writer: Writer) -> None:
    token_file = quack.token_file(writer.path)
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    assert "127.0.0.1" in writer.attach_line
    with duckdb.connect() as connection:
        assert quack.load_quack(connection)
        connection.execute(writer.attach_line)
        assert connection.execute("SELECT count(*) > 0 FROM live.trials").fetchall() == [(True,)]
        for statement in (
            "CREATE TABLE live.z (a INT)",
            "FROM live.query('DROP TABLE trials')",
            "FROM live.query('FROM force_checkpoint()')",
            "FROM live.query('CALL quack_stop(''x'')')",
            "FROM live.query('SELECT 1; DROP TABLE trials')",
        ):
            with pytest.raises(duckdb.Error, match="Authorization failed"):
                connection.execute(statement)
    with duckdb.connect() as connection:
        assert quack.load_quack(connection)
        with pytest.raises(duckdb.Error, match="Authentication failed"):
            connection.execute(writer.attach_line.replace("TOKEN '", "TOKEN 'x"))


def test_sql_and_export_of_a_live_run(
    writer: Writer, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    assert sql.run(writer.path, "SELECT trial_id, target FROM trials LIMIT 1", "json", out) == 0
    assert orjson.loads(out.getvalue()) == [{"trial_id": "t0", "target": {"expected": ["x"]}}]
    with pytest.raises(UsageError, match="nowhere"):
        sql.run(writer.path, "FROM nowhere", "csv", out)
    assert export.run(writer.path, tmp_path / "parquet") == 0
    with duckdb.connect() as connection:
        results = connection.read_parquet(f"{tmp_path}/parquet/trial_results.parquet")
        assert results.count("*").fetchall()[0][0] > 0
    assert "trials.parquet" in capsys.readouterr().out


def test_the_writer_is_known_by_its_pid(writer: Writer) -> None:
    assert writer_pid(writer.path) is not None


HARM = (
    "FROM read_text('/etc/passwd')",
    "FROM read_blob('/etc/passwd')",
    "FROM read_csv('/etc/passwd')",
    "FROM read_json('{folder}/x.json')",
    "FROM read_parquet('{folder}/x.parquet')",
    "FROM '/etc/passwd'",
    "FROM '{folder}/x.csv'",
    "FROM glob('/*')",
    "FROM READ_TEXT('/etc/passwd')",
    "FROM \"read_text\"('/etc/passwd')",
    "FROM main.read_text('/etc/passwd')",
    "FROM system.main.read_text('/etc/passwd')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "WITH x AS (FROM read_text('/etc/passwd')) FROM x",
    "SELECT * FROM trials, LATERAL (FROM glob('/*')) LIMIT 1",
    "SELECT i FROM range(1) AS r(i) WHERE EXISTS (FROM glob('/*'))",
    "FROM query('FROM read_text(''/etc/passwd'')')",
    "FROM query('FROM read_' || 'text(''/etc/passwd'')')",
    "FROM query('FROM qua' || 'ck_serve(''quack:0.0.0.0:9'', token = ''x'')')",
    "FROM query_table('trials')",
    "FROM query_table(['tri' || 'als'])",
    "FROM quack_serve('quack:0.0.0.0:9', token = 'x')",
    "FROM quack_query('quack:127.0.0.1:9', 'SELECT 1')",
    "FROM quack_stop('x')",
    "FROM read_text('http://127.0.0.1:9/x')",
    "FROM read_csv('s3://bucket/x.csv')",
    "FROM checkpoint()",
    "FROM force_checkpoint()",
    "SELECT nextval('x')",
    "SELECT write_log('x')",
    "SELECT sleep_ms(100000)",
    "SELECT pg_sleep(100)",
    "SELECT current_setting('temp_directory')",
    "SELECT getvariable('x')",
    "FROM duckdb_secrets()",
    "FROM duckdb_settings()",
    "FROM sniff_csv('/etc/passwd')",
    "FROM json_execute_serialized_sql('{{}}')",
    "COPY trials TO '{folder}/x.csv'",
    "COPY (SELECT 1) TO '{folder}/x.csv'",
    "EXPORT DATABASE '{folder}/x'",
    "ATTACH '{folder}/x.duckdb' AS x",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '1MB'",
    "SET enable_external_access = true",
    "RESET memory_limit",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "USE memory",
    "CREATE SECRET (TYPE http)",
    "CREATE MACRO m() AS 1",
    "INSERT INTO trials FROM trials",
    "UPDATE trials SET seed = 0",
    "VACUUM",
    "CHECKPOINT",
    "BEGIN",
    "PREPARE x AS SELECT 1",
    "SELECT 1; FROM read_text('/etc/passwd')",
)

ENDLESS = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = -1"


@needs_quack
def test_a_query_without_an_end_is_ended_and_the_writer_goes_on(writer: Writer) -> None:
    with open_for_reading(writer.path) as reader, duckdb.connect() as connection:
        before = reader.connection.execute(COUNT).fetchall()[0][0]
        assert quack.load_quack(connection)
        connection.execute(writer.attach_line)
        with pytest.raises(duckdb.Error, match="Authorization failed"):
            connection.execute(f"FROM live.query({literal(ENDLESS)})")
        assert reader.connection.execute(COUNT).fetchall()[0][0] > before


def test_who_waits_for_a_writer_that_hangs_is_told_so_and_ends(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, said = writer_pid(writer.path), list[str]()
    assert pid is not None
    monkeypatch.setattr("state.sharing.reading._GIVES_UP_AFTER_S", 3.0)
    monkeypatch.setattr("state.sharing.remote.ANSWERS_WITHIN_S", 1.0)
    with open_for_reading(writer.path) as begun:
        snapshot_file(writer.path).unlink(missing_ok=True)  # it would be an answer
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(StoreError, match=f"process {pid} is writing to it and has not"):
                open_for_reading(writer.path, say=said.append)
            if HAS_QUACK:
                with pytest.raises(StoreError, match="has not answered"):
                    begun.connection.execute(COUNT)
        finally:
            os.kill(pid, signal.SIGCONT)
    assert len(said) == 1
    assert f"waiting for process {pid}, which is writing to it" in said[0]


@needs_quack
def test_whoever_holds_the_token_reads_the_tables_and_nothing_else(
    writer: Writer, tmp_path: Path
) -> None:
    address = quack.read_address(writer.path)
    assert address is not None
    with duckdb.connect() as connection:
        assert quack.load_quack(connection)
        connection.execute(f"CREATE SECRET (TYPE quack, TOKEN {literal(address.token)})")

        def ask(statement: str) -> list[tuple[object, ...]]:
            asked = f"FROM quack_query({literal(address.uri)}, {literal(statement)})"
            return connection.execute(asked).fetchall()

        for way in HARM:
            with pytest.raises(duckdb.Error):
                ask(way.format(folder=tmp_path))
        assert list(tmp_path.iterdir()) == []
        for view in views():
            ask(f"SELECT count(*) FROM {view.name}")  # noqa: S608  our own names
    with open_for_reading(writer.path) as reader:
        before = reader.connection.execute(COUNT).fetchall()[0][0]
    assert before > 0
