"""The prompt structure, grid and sampling of the four NeedleChain tasks."""

import pytest

from tasks.needlechain.tasks import Backward, Forward, NeedleChain
from tasks.options import TaskOptions
from tasks.sample import TaskError
from tests.unit.tasks.needlechain.grids import AXES, TASKS


@pytest.mark.parametrize("task", TASKS)
def test_the_published_grid(task: type[NeedleChain]):
    points = list(task(TaskOptions()).points({}))
    assert [(point.axes["k"], point.axes["question"]) for point in points] == [
        (k, question) for k in (5, 10, 20, 50, 100, 200) for question in ("single", "total")
    ]
    assert points[0].switches == {"needlechain.bound": "final64"}
    assert points[0].inputs == {}


def test_all_four_share_their_workers_and_both_questions_their_facts():
    samples = [task(TaskOptions()).generate(AXES, 3) for task in TASKS]
    assert len({tuple(sample.target["names"]) for sample in samples}) == 1
    chains = samples[:3]
    assert len({sample.target["answer"] for sample in chains}) == 1
    total = Forward(TaskOptions()).generate({**AXES, "question": "total"}, 3)
    single_text, total_text = (
        sample.prompt.messages[1].text.rsplit("\n\n", 1)[0] for sample in (samples[0], total)
    )
    assert single_text == total_text
    assert total.target["answer"] > samples[0].target["answer"]


def test_presented_order_is_backward_for_backward():
    sample = Backward(TaskOptions()).generate(AXES, 3)
    assert sample.target["presented"] == list(range(10))[::-1]


def test_published_sampling():
    assert Forward(TaskOptions()).decoding(AXES) == {
        "temperature": 0.6,
        "top_p": 0.95,
        "max_tokens": 16384,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": [0]}, "k = 0 is outside 1..1600 needles"),
        ({"k": [1601]}, "outside"),
        ({"question": ["both"]}, "question = 'both' is not one of 'single', 'total'"),
        ({"val": [100]}, "val = 100 is not one of 160, 1600, 16000"),
        ({"size": [5]}, "no axis 'size'; it has k, question, val"),
    ],
)
def test_wrong_values_are_named(given: dict[str, list[int | str]], message: str):
    with pytest.raises(TaskError, match=message):
        list(Forward(TaskOptions()).points(given))
