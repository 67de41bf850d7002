"""Which file a command means."""

from pathlib import Path

import pytest

from runner.commands.results import databases
from runner.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_only_file_is_found_and_none_or_several_are_not(folder: Path):
    with pytest.raises(UsageError, match=r"no \.duckdb file"):
        databases.find(None)
    (folder / "a.duckdb").touch()
    assert databases.find(None) == Path("a.duckdb")
    (folder / "b.duckdb").touch()
    with pytest.raises(UsageError, match=r"a\.duckdb, b\.duckdb"):
        databases.find(None)
    assert databases.find(Path("b.duckdb")) == Path("b.duckdb")


def test_one_word_of_sql_is_a_file_or_a_query(folder: Path):
    (folder / "a.duckdb").touch()
    assert databases.split_query("other.duckdb", None) == (Path("other.duckdb"), None)
    assert databases.split_query("from cells", None) == (Path("a.duckdb"), "from cells")
    assert databases.split_query("b.duckdb", "from cells") == (Path("b.duckdb"), "from cells")


def test_one_word_of_export_is_the_folder(folder: Path):
    (folder / "a.duckdb").touch()
    assert databases.split_folder("parquet", None) == (Path("a.duckdb"), Path("parquet"))
    assert databases.split_folder("b.duckdb", "out") == (Path("b.duckdb"), Path("out"))
    with pytest.raises(UsageError, match="name the folder"):
        databases.split_folder(None, None)
