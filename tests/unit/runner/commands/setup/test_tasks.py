import pytest

from runner.commands.setup import tasks
from runner.errors import UsageError
from tasks.catalog import TASKS


def test_all_tasks_are_listed_with_their_axes(capsys: pytest.CaptureFixture[str]) -> None:
    assert tasks.run(None) == 0
    shown = capsys.readouterr().out
    for name, task in TASKS.items():
        assert name in shown
        assert ", ".join(axis.name for axis in task.axes) in shown


@pytest.mark.parametrize("name", TASKS)
def test_one_task_shows_values_units_and_switches(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tasks.run(name) == 0
    shown = capsys.readouterr().out
    assert TASKS[name].source in shown
    assert all(axis.name in shown for axis in TASKS[name].axes)
    assert "official" in shown


def test_a_sample_is_the_prompt_that_a_sweep_would_send(capsys: pytest.CaptureFixture[str]) -> None:
    assert tasks.run("needle_threading.single_needle", sample=True) == 0
    shown = capsys.readouterr().out
    assert "e3e70682-c209-4cac-629f-6fbed82c07cd" in shown  # the first UUID of seed 0
    assert "# expected: " in shown


@pytest.mark.parametrize(
    ("name", "sample", "says"),
    [
        ("niah.magic", False, "did you mean 'niah.magic_number'"),
        ("niah.magic", True, "did you mean"),
        (None, True, "name a task"),
    ],
)
def test_what_cannot_be_shown_says_what_can(name: str | None, sample: bool, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        tasks.run(name, sample=sample)
