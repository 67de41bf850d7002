"""Two files side by side, as they are printed and as they are refused."""

import re
from pathlib import Path

import pytest

from runner.commands.results import compare
from runner.errors import UsageError
from tests.sql.facts import Facts


def write(path: Path, *values: float, model: str = "alpha", profile: str = "default") -> Path:
    facts = Facts().sweep(profile=profile).model(model)
    cell = facts.cell("needle_threading.single_needle", 2000, model=model, depth=0)
    for value in values:
        facts.trial(cell, value)
    facts.connect(str(path)).close()
    return path


@pytest.fixture
def march(tmp_path: Path) -> Path:
    return write(tmp_path / "march.duckdb", 1.0, 1.0, 0.0, 1.0)


def test_it_says_what_changed_and_how_to_see_what_flipped(
    march: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    april = write(tmp_path / "april.duckdb", 1.0, 0.0, 0.0, 0.0)
    assert compare.run([march, april]) == 0
    out = capsys.readouterr().out
    (line,) = (
        line for line in out.splitlines() if line.startswith("alpha  needle") and ".." in line
    )
    assert line.split()[2:7] == ["4", "4", "75.0", "25.0", "-50.0"]
    assert "2 prompts judged otherwise" in out
    shown = re.search(rf"runner show (\w+) {march}; runner show (\w+) {april}", out)
    assert shown is not None
    assert shown[1] in out.partition("see one")[0]


def test_files_without_a_change_say_so_and_no_zero_is_negative(
    march: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = write(tmp_path / "again.duckdb", 1.0, 1.0, 0.0, 1.0)
    assert compare.run([march, again]) == 0
    out = capsys.readouterr().out
    assert "every prompt was judged as before" in out
    assert "-0.0 " not in out


def test_what_else_is_different_is_said_first(
    march: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.duckdb"
    facts = Facts().sweep().model("alpha").model("beta")
    for model in ("alpha", "beta"):
        cell = facts.cell("needle_threading.single_needle", 2000, model=model, depth=0)
        facts.trial(cell, 1.0)
    facts.connect(str(other)).close()
    assert compare.run([march, other]) == 0
    assert capsys.readouterr().out.startswith(f"only in {other}: beta\n")


def test_nothing_in_common_is_one_line_that_says_what_each_file_holds(
    march: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other.duckdb", 1.0, model="beta")
    with pytest.raises(UsageError, match="no prompt was answered by one model in both") as caught:
        compare.run([march, other])
    assert f"{march} holds alpha; {other} holds beta" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="that --model and --task keep"):
        compare.run([march, write(tmp_path / "same.duckdb", 1.0)], model="gpt*")


def test_a_file_beside_itself_or_that_is_not_there_is_refused(march: Path) -> None:
    with pytest.raises(UsageError, match="named twice"):
        compare.run([march, march.parent / "." / march.name])
    with pytest.raises(UsageError, match="no such file"):
        compare.run([march, march.parent / "none.duckdb"])
