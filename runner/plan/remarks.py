"""What a plan's numbers will not be able to show, or what of it would be bought for nothing."""

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from runner.models.thinking import given_room, published_cap, thinks
from runner.plan.plan import ModelPlan, Plan
from tasks.identity import trial_seed
from tasks.sample import Scalar


@runtime_checkable
class Labelled(Protocol):
    """A task whose answer is one of two labels, known without its prompt."""

    def label(self, axes: Mapping[str, Scalar], seed: int) -> bool:
        """The right answer at a point and seed."""
        ...


def remarks(plan: Plan, repeats: int) -> Iterator[str]:
    """A line for each; `repeats` are those of the sweep."""
    for planned in plan.tasks:
        wanted, most = planned.repeats or repeats, planned.most_repeats
        if most is not None and wanted > most:
            yield (
                f"{planned.task.name}: {most} of {wanted} repeats are sent: "
                "needlechain.rows = first100 counts no more"
            )
    yield from rooms(plan)
    true, questions = _labels(plan)
    if 2 * true != questions:
        yield (
            f"labels: {true} of {questions} questions are True; an even number of repeats, or two "
            "tasks that start with different labels, makes them as many True as False"
        )


def rooms(plan: Plan) -> Iterator[str]:
    """A line for each model whose output caps are raised, since it thinks."""
    for model in plan.models:
        if _given_room(model):
            yield given_room(model.model)


def _given_room(model: ModelPlan) -> bool:
    """Whether a published output cap is raised for a model that thinks."""
    if model.model.max_output is not None or not thinks(model.model):
        return False
    caps = (task.decoding(point.axes).get("max_tokens") for task, point, _, _ in model.points)
    return any(cap is not None and published_cap(model.model, cap) > cap for cap in caps)


def _labels(plan: Plan) -> tuple[int, int]:
    """How many questions are true, and how many there are: a repeat asks one in all its variants.

    Of the first model; where others are asked less often the report counts what was answered.
    """
    asked: dict[tuple[str, int], bool] = {}
    for task, point, _, repeats in plan.models[0].points if plan.models else ():
        if isinstance(task, Labelled):
            for repeat in range(repeats):
                if (task.name, repeat) not in asked:
                    seed = trial_seed(plan.seed, repeat)
                    asked[task.name, repeat] = task.label(point.axes, seed)
    return sum(asked.values()), len(asked)
