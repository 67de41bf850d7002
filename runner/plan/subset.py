"""A plan of chosen trials, in a given order."""

from collections.abc import Iterator
from functools import cached_property

from runner.models.spec import ModelSpec
from runner.plan.cell import Cell, Trial
from runner.plan.plan import NOTHING_DONE, Done, ModelPlan


class ChosenTrials(ModelPlan):
    """Some trials of a model's plan, in a given order."""

    def __init__(
        self, plan: ModelPlan, chosen: list[Trial], model: ModelSpec | None = None
    ) -> None:
        super().__init__(model or plan.model, plan.points, repeats=plan.repeats, seed=plan.seed)
        self._whole = plan
        self._chosen = chosen

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Those of the whole plan: a changed limit changes no cell."""
        return self._whole.cells

    @property
    def n_trials(self) -> int:
        """How many were chosen."""
        return len(self._chosen)

    def trials(self, done: Done) -> Iterator[Trial]:
        """Those of them that are not done."""
        for trial in self._chosen:
            if trial.repeat not in done.get(trial.cell.cell_id, NOTHING_DONE):
                yield trial

    def n_pending(self, done: Done) -> int:
        """How many of them are not done."""
        return sum(1 for _ in self.trials(done))
