import re
from pathlib import Path

import pytest

from runner.clock import SystemClock
from runner.commands.setup import init
from runner.config import sweep as config
from runner.errors import UsageError
from runner.models.spec import require_prices, resolve_all
from runner.plan.build import plan_sweep


def test_what_it_writes_is_a_sweep_with_prices_and_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init.run(tmp_path / "new" / "folder") == 0
    path = tmp_path / "new" / "folder" / "sweep.toml"
    assert "runner sweep --dry-run" in capsys.readouterr().out
    read = config.load(path)
    models = resolve_all(read, SystemClock().now_us())
    require_prices(models, read.where)
    assert plan_sweep(read, models).n_trials > 50
    assert read.budget_pusd == 5 * 10**12


def test_every_commented_line_of_config_would_be_accepted(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text("A quiet morning by the river.\n" * 400)
    (tmp_path / "wording.toml").write_text("")
    text = re.sub(r"^# (?=\[|\w+ = )", "", init.TEMPLATE, flags=re.MULTILINE)
    read = config.parse(text, tmp_path / "sweep.toml")
    assert [model.provider for model in read.models] == ["openai", "anthropic", "google", "compat"]
    assert read.overrides == {"flenqa.answer": "paper"}
    assert read.models[0].limits.rpm == 500
    known = resolve_all(read, SystemClock().now_us())
    require_prices(known, "sweep.toml")


def test_an_existing_file_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        init.run(tmp_path)
    assert (tmp_path / "sweep.toml").read_text() == "mine"


@pytest.mark.parametrize("directory", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_one_line(directory: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        init.run(tmp_path / directory)
