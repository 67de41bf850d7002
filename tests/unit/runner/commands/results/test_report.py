import re

import pytest

from runner.commands.results import report
from runner.errors import UsageError
from runner.report.notebook import open_results
from tests.sql.facts import Facts


def test_the_command_writes_what_was_asked_for(file, tmp_path, capsys):
    out, folder = tmp_path / "page.html", tmp_path / "deep" / "pictures"
    assert report.run(file, html=out, png=folder) == 0
    assert out.read_text().startswith("<!doctype html>")
    names = {path.name for path in folder.iterdir()}
    assert {"accuracy.png", "depth_heatmap-needle_threading.single_needle.png"} <= names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.iterdir())
    assert "not evaluated: 1 of 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: report.run(path / "none.duckdb"), "no such file"),
        (lambda path: report.run(path / "small.duckdb", model="gpt*"), "--model gpt*"),
        (lambda path: report.run(path / "small.duckdb", html=path / "no" / "x.html"), "written"),
        (lambda path: open_results(path / "none.duckdb"), "no such file"),
        (lambda path: open_results(path / "small.duckdb").chart("pie"), "is no chart"),
        (lambda path: open_results(path / "small.duckdb").chart("next_word"), "has no rows"),
    ],
)
def test_bad_input_is_one_clear_line(file, make, words):
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        make(file.parent)
    assert "\n" not in str(caught.value)


def test_an_empty_sweep_is_said(tmp_path):
    path = tmp_path / "empty.duckdb"
    Facts().sweep().connect(str(path)).close()
    with pytest.raises(UsageError, match="no trials"):
        report.run(path)
