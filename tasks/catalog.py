"""Every task by name: a literal table, so that what can be swept is read in one place."""

from typing import Protocol

from tasks.flenqa.monorel import MonoRel
from tasks.flenqa.next_word import NextWord
from tasks.flenqa.pir import PeopleInRooms
from tasks.flenqa.ruletaker import RuleTaker
from tasks.needle_threading.branched import BranchedThreading
from tasks.needle_threading.natural import NaturalMultiThreading, NaturalThreading
from tasks.needle_threading.retrieval import ConditionalNeedle, MultiNeedle, SingleNeedle
from tasks.needle_threading.threads import MultiThreading, Threading
from tasks.needlechain.tasks import Backward, Forward, Mixed, Stack
from tasks.niah.custom import Custom
from tasks.niah.magic_number import MagicNumber, Negative
from tasks.official.catalog import PUBLISHED
from tasks.options import TaskOptions
from tasks.sample import Task, TaskError


class ConfigurableTask(Task, Protocol):
    """A task class as the table holds it: everything a user may set comes in one record."""

    def __init__(self, options: TaskOptions) -> None: ...


TASKS: dict[str, type[ConfigurableTask]] = {
    "needle_threading.single_needle": SingleNeedle,
    "needle_threading.multi_needle": MultiNeedle,
    "needle_threading.conditional_needle": ConditionalNeedle,
    "needle_threading.threading": Threading,
    "needle_threading.multi_threading": MultiThreading,
    "needle_threading.branched_threading": BranchedThreading,
    "needle_threading.natural_threading": NaturalThreading,
    "needle_threading.natural_multi_threading": NaturalMultiThreading,
    "flenqa.monorel": MonoRel,
    "flenqa.pir": PeopleInRooms,
    "flenqa.ruletaker": RuleTaker,
    "flenqa.next_word": NextWord,
    "niah.magic_number": MagicNumber,
    "niah.negative": Negative,
    "niah.custom": Custom,
    "needlechain.forward": Forward,
    "needlechain.backward": Backward,
    "needlechain.mixed": Mixed,
    "needlechain.stack": Stack,
}


def build(name: str, options: TaskOptions) -> Task:
    """The task of that name, set up with `options`. Raises TaskError naming what exists."""
    task = TASKS.get(name)
    if task is None:
        raise TaskError(f"tasks: no task {name!r}; there are {', '.join(TASKS)}")
    if options.data is None:
        return task(options)
    published = PUBLISHED.get(name)
    if published is None:
        raise TaskError(f"{name}: data: only for {', '.join(PUBLISHED)}")
    return published(options)
