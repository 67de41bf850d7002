"""`runner reproduce` as typed: a grid, a part of it swept, and the paper's table of that."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner import cli
from tests.sql.sweeps import Maker

Ran = tuple[int, str, str]
Typed = Callable[..., Ran]


@pytest.fixture
def typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Typed:
    """Runs a command line in this process and a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["runner", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.run()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


def refused(ran: Ran) -> str:
    """The one line of a refusal."""
    code, out, err = ran
    assert (code, out) == (2, "")
    assert err.startswith("runner: ")
    assert err.count("\n") == 1
    return err


def test_a_part_of_the_grid_is_swept_and_stands_beside_the_published_table(typed: Typed) -> None:
    code, out, _ = typed("reproduce", "flenqa", "--table", "1", "--model", "sim/gpt-3.5-turbo")
    assert code == 0
    assert out.startswith("wrote flenqa-table-1.toml\n")
    assert "600" in out  # trials of the forecast: three tasks, 100 instances, asked in two ways
    where = "task = 'flenqa.pir'"
    code, out, err = typed("sweep", "flenqa-table-1.toml", "--where", where, "--plain")
    assert code == 0, (out, err)
    code, out, _ = typed("reproduce", "flenqa", "flenqa-table-1.duckdb", "--table", "1")
    assert code == 0
    title, header, ours, published, *_ = out.splitlines()
    assert "table 1" in title
    assert header.split()[0] == "model"
    assert ours.startswith("sim/gpt-3.5-turbo")
    assert ours.split()[-1] == "100"
    assert published.split()[2:] == ["77.0", "81.0", "74.0", "86.0", "88.0", "88.0"]
    assert "SIMULATED DATA" in out


def test_a_file_is_never_overwritten(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "niah.toml").write_text("mine")
    assert "niah.toml exists already" in refused(typed("reproduce", "niah", "--model", "sim/a"))
    assert (tmp_path / "niah.toml").read_text() == "mine"


def test_nothing_is_written_for_a_model_that_cannot_be_asked(typed: Typed, tmp_path: Path) -> None:
    assert "base_url" in refused(typed("reproduce", "niah", "--model", "compat/a"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nia", "--model", "sim/a"), "did you mean 'niah'"),
        (("niah",), "name the models"),
        (("niah", "--model", "nonsense"), '"provider/model"'),
        (("niah", "--table", "7", "--model", "sim/a"), "there are tables 1"),
        (("niah", "--model", "sim/a", "--format", "csv"), "--format does not apply"),
        (("niah", "none.duckdb"), "no such file"),
        (("flenqa", "all.duckdb"), "nothing of flenqa"),
        (("needlechain", "all.duckdb", "--format", "xml"), "--format 'xml' is not one of"),
        (("needlechain", "all.duckdb", "--model", "sim/a"), "--model does not apply"),
        (("niah", "--model", "sim/a", "--out", "no/folder.toml"), "cannot be written"),
    ],
)
def test_bad_input_is_one_line(
    typed: Typed, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    Maker(("alpha",)).chains(1).facts.connect(str(tmp_path / "all.duckdb")).close()
    assert said in refused(typed("reproduce", *words))


def test_each_format_says_the_same(typed: Typed, tmp_path: Path) -> None:
    Maker(("alpha", "beta")).chains(2).facts.connect(str(tmp_path / "all.duckdb")).close()
    told = {
        name: typed("reproduce", "needlechain", "all.duckdb", "--table", "1", "--format", name)
        for name in ("table", "markdown", "latex", "csv", "json")
    }
    assert all(code == 0 for code, _, _ in told.values())
    out = {name: ran[1] for name, ran in told.items()}
    assert out["markdown"].count("\n| alpha |") == 2
    assert out["latex"].count("\\begin{tabular}") == 2
    records = json.loads(out["json"])
    rows = list(csv.DictReader(io.StringIO(out["csv"])))
    assert [row["said"] for row in rows] == [record["said"] for record in records]
    for record in records:
        assert record["said"] in out["table"]
        assert record["said"] in out["markdown"]
