import json
from pathlib import Path

import pytest

from runner.commands.results.paper_tables import FORMATS, draw, show
from runner.errors import UsageError
from runner.papers.published import PAPERS
from runner.report.figures import FIGURES
from tests.sql.sweeps import Maker


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_a_paper_s_table(
    file: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show("needle-threading", PAPERS["needle-threading"].tables[1:], file, form) == 0
    out = capsys.readouterr().out
    assert "alpha" in out
    assert "Reka Core" in out
    if form == "json":
        assert {record["table"] for record in json.loads(out)} == {2}


def test_a_file_without_the_paper_s_tasks_says_what_it_holds(file: Path) -> None:
    with pytest.raises(UsageError, match=r"it holds needle_threading\.single_needle"):
        show("niah", PAPERS["niah"].tables, file, "table")


def test_a_figure_is_drawn_in_three_formats_and_others_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "chains.duckdb"
    Maker(("alpha",)).chains(1).facts.connect(str(db)).close()
    assert draw("needlechain", 3, db) == 0
    drawn = sorted((tmp_path / "needlechain-figure-3").iterdir())
    assert {path.suffix for path in drawn} == {".pdf", ".png", ".svg"}
    assert all(path.name.startswith("chain_errors") for path in drawn)
    with pytest.raises(UsageError, match="--figure 9: of needlechain there are figures 3, 4"):
        draw("needlechain", 9, db)


def test_every_figure_of_a_paper_is_a_picture_that_there_is() -> None:
    names = {figure.name for figure in FIGURES}
    assert {name for paper in PAPERS.values() for name in paper.figures.values()} <= names
