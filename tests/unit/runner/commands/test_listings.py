import pytest

from runner.commands.setup import models, tasks
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


def test_models_show_prices_tiers_windows_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert models.run("google/gemini-2.5-pro") == 0
    shown = capsys.readouterr().out
    assert "1,048,576" in shown
    assert "200,000" in shown
    assert "1.25" in shown
    assert "genai-prices" in shown
    assert "newest dated price 20" in shown


def test_without_a_pattern_resold_models_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert models.run(None) == 0
    shown = capsys.readouterr().out
    assert "local/smollm2-135m-instruct" in shown
    assert "anthropic/" in shown
    assert "openrouter" not in shown


def test_an_unknown_model_says_what_to_add() -> None:
    with pytest.raises(UsageError, match=r"price = \{ input = USD, output = USD \}"):
        models.run("no-such-model")
