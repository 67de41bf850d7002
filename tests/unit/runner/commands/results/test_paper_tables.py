import json
from pathlib import Path

import pytest

from runner.commands.results.paper_tables import FORMATS, show
from runner.errors import UsageError
from runner.papers.published import PAPERS


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
