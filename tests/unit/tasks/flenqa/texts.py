"""Texts of the FLenQA tasks at one point, and their parts."""

from tasks.catalog import build
from tasks.flenqa.family import FlenqaTask
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar
from tasks.tokens import exact_counter

COUNTER = exact_counter("cl100k_base")

SHORT = ("monorel", "pir", "ruletaker")

INSTANCES = 100


def flenqa(name: str, options: TaskOptions) -> FlenqaTask:
    task = build(f"flenqa.{name}", options)
    assert isinstance(task, FlenqaTask)
    return task


TASKS = {name: flenqa(name, TaskOptions()) for name in SHORT}


def axes(
    size: int = 1000, padding: str = "similar", placement: str = "random", *, cot: bool = False
) -> dict[str, Scalar]:
    return {"size": size, "padding": padding, "placement": placement, "cot": cot}


def padded(name: str, point: dict[str, Scalar], seed: int) -> str:
    task = TASKS[name]
    return task.pose(point, seed).text.text


def text_of(sample: Sample) -> str:
    return sample.prompt.messages[0].text
