"""A plan of chosen trials, in a given order."""

from collections.abc import Iterator, Mapping

from runner.plan.cell import Trial
from runner.plan.plan import ModelPlan

Done = Mapping[str, frozenset[int]]


NOTHING_DONE: frozenset[int] = frozenset()


class ChosenTrials(ModelPlan):
    """Some trials of a model's plan, in a given order."""

    __slots__ = ("_chosen",)

    def __init__(self, plan: ModelPlan, chosen: list[Trial]) -> None:
        super().__init__(plan.model, plan.cells, repeats=plan.repeats, seed=plan.seed)
        self._chosen = chosen

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
