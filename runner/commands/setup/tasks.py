"""`runner tasks`: what can be swept, from the tasks' own tables."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from runner.config.complaints import did_you_mean
from runner.errors import UsageError
from runner.papers.published import repeats_of
from runner.terminal.console import console
from tasks.catalog import TASKS, build
from tasks.identity import trial_seed
from tasks.options import TaskOptions
from tasks.profiles import SWITCHES, effective
from tasks.sample import Axis, Sample, Scalar, Task, TaskError


def run(name: str | None, *, sample: bool = False) -> int:
    """All tasks; or one with its axes; or one of its prompts."""
    if name is None:
        if sample:
            raise UsageError("tasks --sample: name a task, like `runner tasks NAME --sample`")
        return _list(console())
    if name not in TASKS:
        raise UsageError(f"tasks: no task {name!r}{did_you_mean(name, TASKS)}")
    if sample:
        return _sample(console(), name)
    return _describe(console(), name)


def _list(out: Console) -> int:
    table = Table(title="tasks (axes not given in a sweep take the published values)")
    for heading in ("task", "size in", "axes", "source"):
        table.add_column(heading, overflow="fold")
    for name, task in TASKS.items():
        axes = ", ".join(axis.name for axis in task.axes)
        table.add_row(name, task.size_unit, axes, task.source)
    out.print(table)
    out.print("one task: runner tasks NAME    one prompt: runner tasks NAME --sample")
    return 0


def _describe(out: Console, name: str) -> int:
    task = TASKS[name]
    out.print(f"{name}, version {task.version}: {task.source}", soft_wrap=True)
    table = Table(title="axes")
    for heading in ("axis", "published values (the default)", "unit", "allowed", "source"):
        table.add_column(heading, overflow="fold")
    for axis in task.axes:
        values = ", ".join(_plain(value) for value in axis.published)
        table.add_row(axis.name, values, axis.unit, _allowed(axis), axis.source)
    out.print(table)
    repeats = repeats_of(name)
    if repeats is not None:
        published, about = repeats
        out.print(f"published repeats: {published} ({about})", soft_wrap=True)
    out.print(_switches(name.partition(".")[0]))
    return 0


def _plain(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(axis: Axis) -> str:
    if axis.choices is not None:
        return ", ".join(_plain(choice) for choice in axis.choices)
    if isinstance(axis.published[0], str):
        return "text"
    bounds = {"from": axis.minimum, "to": axis.maximum}
    words = [f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None]
    return " ".join(["whole" if axis.integer else "any number", *words])


_FAMILIES: Mapping[str, str] = {"needle_threading": "nt"}
"""Families whose switches have a shorter name."""


def _switches(family: str) -> Table:
    prefix = f"{_FAMILIES.get(family, family)}."
    table = Table(title="switches (where paper, code and we differ)")
    for heading in ("switch", "default", "paper", "official", "changes", "about"):
        table.add_column(heading, overflow="fold")
    for name, switch in SWITCHES.items():
        if name.startswith(prefix):
            values = (switch.default, switch.paper, switch.official)
            table.add_row(name, *map(_plain, values), switch.scope, switch.about)
    return table


def _sample(out: Console, name: str) -> int:
    """The first prompt of a sweep of this task with seed 0."""
    try:
        task = build(name, TaskOptions(switches=effective("default", {})))
        axes, sample = _first(task)
    except TaskError as error:
        raise UsageError(str(error)) from error
    point = ", ".join(f"{key} = {_plain(value)}" for key, value in axes.items())
    out.print(f"# {name}: {point}, seed 0", soft_wrap=True)
    for message in sample.prompt.messages:
        out.print(f"# {message.role} turn, {len(message.text):,} characters")
        out.print(message.text, soft_wrap=True)
    out.print(f"# expected: {dict(sample.target)}", soft_wrap=True)
    return 0


def _first(task: Task) -> tuple[Mapping[str, Scalar], Sample]:
    for point in task.points({}):
        return point.axes, task.generate(point.axes, trial_seed(0, 0))
    raise UsageError(f"{task.name}: the published grid holds no feasible point")
