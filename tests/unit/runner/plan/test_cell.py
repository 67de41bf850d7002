from dataclasses import replace
from typing import Any

from runner.plan.cell import Cell, make_cell, make_trial, plan_point, size_of
from tests.fakes.plans import plan_of, sweep_text


class FewRows:
    """A task of which two rows exist for each point."""

    size_axis = "size"

    def decoding(self, axes: Any) -> dict[str, Any]:
        return {}

    def repeats(self, axes: Any) -> int:
        return 2


def a_cell() -> Cell:
    tasks = '[[tasks]]\nname = "needle_threading.single_needle"\nsize = [2000]\ndepth = [50]'
    _, plan = plan_of(sweep_text(model="price = 0", tasks=tasks))
    return next(iter(plan.cells))


def test_a_task_of_few_rows_has_no_more_repeats_than_rows():
    cell = a_cell()
    task: Any = FewRows()
    assert plan_point(task, cell.point, cell.point.point_id, 5).repeats == 2
    assert plan_point(task, cell.point, cell.point.point_id, 1).repeats == 1


def test_a_simulated_cell_is_another_one_than_the_real_one_at_its_address():
    cell = a_cell()
    simulated = replace(cell.model, simulated=True)
    assert (
        make_cell(simulated, plan_point(cell.task, cell.point, cell.point.point_id, 2)).cell_id
        != cell.cell_id
    )


def test_a_size_that_is_no_number_counts_as_none():
    cell = a_cell()
    assert size_of(cell) == 2000
    assert size_of(replace(cell, point=replace(cell.point, axes={"size": "released"}))) == 0


def test_repeats_of_a_cell_have_seeds_and_ids_of_their_own():
    cell = a_cell()
    trials = [make_trial(cell, repeat, 0) for repeat in range(3)]
    assert len({trial.seed for trial in trials}) == len({trial.trial_id for trial in trials}) == 3
    assert make_trial(cell, 1, 0) == trials[1]
