from runner.plan.simulated import mark
from tests.fakes.plans import plan_of, sweep_text

URL = "http://127.0.0.1:9/v1"


def test_simulated_cells_are_other_cells():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, {URL: True})
    assert all(cell.model.simulated and cell.to_row().simulated for cell in marked.cells)
    ids = {cell.cell_id for cell in plan.cells}
    assert not ids & {cell.cell_id for cell in marked.cells}
    back = mark(marked, {URL: False})
    assert [cell.cell_id for cell in back.cells] == [cell.cell_id for cell in plan.cells]


def test_prompts_stay_the_same():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, {URL: True})
    mine = [(t.cell.point, t.seed) for t in plan.models[0].trials({})]
    assert [(t.cell.point, t.seed) for t in marked.models[0].trials({})] == mine


def test_only_who_was_asked_changes():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, {URL: True})
    assert mark(marked, {}).models[0] is marked.models[0]
    assert not mark(marked, {URL: False}).models[0].model.simulated


def test_our_own_simulator_is_always_one():
    _, plan = plan_of(sweep_text(id="sim/any"))
    assert mark(plan, {"http://127.0.0.1:1": False}).models[0].model.simulated
