from pathlib import Path

import pytest

from tasks.needlechain.tasks import Forward, NeedleChain
from tasks.options import TaskOptions
from tests.unit.tasks.needlechain.grids import AXES, TASKS


@pytest.mark.parametrize("task", TASKS)
def test_order_of_parts_and_names_in_reasoning_order(task: type[NeedleChain]):
    sample = task(TaskOptions()).generate(AXES, 3)
    system, user = sample.prompt.messages
    assert (system.role, user.role) == ("system", "user")
    assert "## Answer: ${your_answer}" in system.text
    names = sample.target["names"]
    lines = [
        line
        for line in user.text.splitlines()
        if (line.endswith(".") and "$" in line) or "earns" in line
    ]
    places = [user.text.index(part) for part in ("10", ", ".join(names), lines[0], lines[-1])]
    assert places == sorted(places)
    assert f"{names[-1]}?" in user.text[places[-1] :]
    assert sample.lengths["haystack_chars"] == sum(map(len, lines)) + 9


def test_a_users_wording_replaces_ours_and_is_part_of_the_point(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('[needlechain]\nquestion_single = "How much has {name}?"\n', encoding="utf-8")
    task = Forward(TaskOptions(prompts=path))
    assert task.generate(AXES, 0).prompt.messages[1].text.endswith("?")
    assert "How much has " in task.generate(AXES, 0).prompt.messages[1].text
    mine, ours = (next(iter(each.points({}))) for each in (task, Forward(TaskOptions())))
    assert mine.point_id != ours.point_id
