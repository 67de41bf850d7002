from pathlib import Path

import pytest

from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.sample import Scalar, TaskError
from tests.unit.tasks.niah.contexts import context


def test_custom_needle_question_and_haystack(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Bees hum. Ants march.\n")
    (tmp_path / "a.txt").write_text("Cats sleep. Dogs bark. ")
    options = TaskOptions(
        haystack=tmp_path, needle="The vault opens at dawn.", question="When?", answer=("dawn",)
    )
    task = build("niah.custom", options)
    axes: dict[str, Scalar] = {"size": 500, "depth": 40, "buffer": 200}
    sample = task.generate(axes, 0)
    text = context(sample)
    assert text.startswith("Cats sleep. Dogs bark. Bees hum. Ants march.\nCats sleep.")
    assert "\nThe vault opens at dawn.\n" in text
    assert sample.target == {
        "kind": "keywords",
        "keywords": ["dawn"],
        "question": "When?",
        "needle": "The vault opens at dawn.",
    }
    (point,) = task.points({name: [value] for name, value in axes.items()})
    assert set(point.inputs) == {"haystack", "needle"}
    (ours,) = build("niah.custom", TaskOptions()).points({n: [v] for n, v in axes.items()})
    assert ours.point_id != point.point_id
    assert task.generate(axes, 1).prompt.hash() == sample.prompt.hash()


def test_custom_names_what_is_missing() -> None:
    with pytest.raises(TaskError, match=r"niah.custom: answer is missing"):
        build("niah.custom", TaskOptions(needle="n", question="q"))
    with pytest.raises(TaskError, match=r"niah.custom: question is missing"):
        build("niah.custom", TaskOptions(needle="n", answer=("a",)))
    with pytest.raises(TaskError, match=r"niah.custom: answer is missing"):
        build("niah.custom", TaskOptions(needle="n", question="q", answer=("a", " ")))
