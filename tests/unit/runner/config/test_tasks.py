from pathlib import Path
from typing import Any

import pytest

from runner.config.tasks import Defaults, TaskConfig, existing, read_tasks
from runner.errors import UsageError


def read(table: dict[str, Any], folder: Path = Path(), haystack: Path | None = None) -> TaskConfig:
    defaults = Defaults(folder=folder, haystack=haystack, prompts=None)
    (task,) = read_tasks([table], defaults, "s.toml")
    return task


def test_one_value_is_a_list_of_one() -> None:
    task = read({"name": "needle_threading.single_needle", "size": 800, "depth": [0, 50]})
    assert dict(task.axes) == {"size": (800,), "depth": (0, 50)}
    assert task.to_json()["size"] == [800]


def test_a_task_s_own_path_wins_over_the_sweep_s(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    table = {"name": "niah.magic_number"}
    assert read(table, tmp_path, tmp_path).given.haystack == tmp_path
    own = read({**table, "haystack": "own"}, tmp_path, tmp_path)
    assert own.given.haystack == own.options({}).haystack == tmp_path / "own"
    assert own.to_json()["haystack"] == str(tmp_path / "own")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({}, 's.toml: tasks[0].name: is missing; write name = "TASK"'),
        ({"name": "niah.magic"}, "s.toml: tasks[0].name: no task 'niah.magic' (did you mean"),
        (
            {"name": "niah.magic_number", "siz": 1},
            "s.toml: tasks[0].siz: unknown key (did you mean 'size'?)",
        ),
        ({"name": "niah.magic_number", "size": []}, "s.toml: tasks[0].size: is an empty list"),
        (
            {"name": "niah.magic_number", "size": [9000, 9000]},
            "s.toml: tasks[0].size: holds a value twice",
        ),
        (
            {"name": "niah.magic_number", "haystack": "none"},
            "s.toml: tasks[0].haystack: nothing at 'none'; relative paths start at the config's",
        ),
        (
            {"name": "niah.magic_number", "needle": 3},
            "s.toml: tasks[0].needle = 3: must be text in quotes",
        ),
        (
            {"name": "niah.custom", "answer": [""]},
            "s.toml: tasks[0].answer: must be text in quotes, or a list",
        ),
    ],
)
def test_what_is_wrong_names_its_key(table: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(table)
    assert str(caught.value).startswith(says)


def test_a_path_that_no_system_takes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no path|nothing at"):
        existing(Path(), "a\0b")
