"""A paper's grid as a config: it parses, and holds exactly what the paper asks."""

from pathlib import Path

import pytest

from runner.clock import SystemClock
from runner.config import sweep as configs
from runner.models.spec import resolve_all
from runner.papers.grid import Wanted, config_text
from runner.papers.published import PAPERS, AskedTask
from runner.plan.build import plan_sweep


def written(name: str, **other: object) -> str:
    paper = PAPERS[name]
    given = {"part": "", "asked": paper.asked, "appendix": paper.appendix, **other}
    wanted = Wanted(name=name, paper=paper, models=["sim/a", "sim/b"], **given)  # type: ignore[arg-type]
    return config_text(wanted, Path(f"{name}.toml"))


def trials(text: str) -> int:
    config = configs.parse(text, Path("paper.toml"))
    return plan_sweep(config, resolve_all(config, SystemClock().now_us())).n_trials


@pytest.mark.parametrize("name", PAPERS)
def test_it_is_a_config_with_the_published_repeats_and_every_axis_spelled_out(name: str) -> None:
    config = configs.parse(written(name), Path("paper.toml"))
    assert config.repeats == PAPERS[name].repeats
    assert config.profile == "paper"
    assert [model.id for model in config.models] == ["sim/a", "sim/b"]
    assert [task.name for task in config.tasks] == [asked.task for asked in PAPERS[name].asked]
    assert all(task.axes for task in config.tasks)


@pytest.mark.parametrize("name", PAPERS)
def test_what_stands_beside_the_grid_can_be_uncommented(name: str) -> None:
    before, _, beside = written(name).partition("# Beside the main grid:\n")
    lines = (line.removeprefix("#").removeprefix(" ") for line in beside.splitlines())
    config = configs.parse(before + "\n".join(lines), Path("paper.toml"))
    asked = (*PAPERS[name].asked, *PAPERS[name].appendix)
    assert [task.name for task in config.tasks] == [each.task for each in asked]


def test_grids_are_as_large_as_the_papers_say() -> None:
    # 12,000 rows of two paddings (a third was not released), each asked in two ways.
    assert trials(written("flenqa")) == 2 * 12_000 * 3 // 2 * 2
    single = [AskedTask(task="needle_threading.single_needle")]
    assert trials(written("needle-threading", asked=single)) == 2 * 660
    assert trials(written("needlechain")) == 2 * 4 * 6 * 2 * 200


def test_a_table_s_part_asks_no_more_than_the_table_needs() -> None:
    table = PAPERS["flenqa"].tables[0]
    text = written("flenqa", part="table 1", asked=table.asked, appendix=())
    assert trials(text) == 2 * 3 * 100 * 2
    assert text.startswith("# Table 1 of Same Task")
