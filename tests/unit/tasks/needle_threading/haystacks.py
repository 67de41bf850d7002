"""Haystacks of pairs, and the tasks that ask about them."""

import json

from tasks.catalog import build
from tasks.needle_threading.family import NeedleThreadingTask
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar

NT = "needle_threading"


def make(short: str, **switches: Scalar) -> NeedleThreadingTask:
    options = TaskOptions(switches={f"nt.{name}": value for name, value in switches.items()})
    task = build(f"{NT}.{short}", options)
    assert isinstance(task, NeedleThreadingTask)
    return task


def haystack(sample: Sample) -> str:
    """The piece of the prompt that is a JSON object."""
    (text,) = (part.text for part in sample.prompt.messages[0].parts if part.text[0] == "{")
    return text


def pairs(sample: Sample) -> list[tuple[str, str]]:
    return json.loads(haystack(sample), object_pairs_hook=lambda found: found)
