from runner.plan.simulated import mark, mark_asked
from tests.fakes.plans import plan_of, sweep_text

URL = "http://127.0.0.1:9/v1"


def test_simulated_cells_are_other_cells():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, frozenset({URL}))
    assert all(cell.model.simulated and cell.to_row().simulated for cell in marked.cells)
    ids = {cell.cell_id for cell in plan.cells}
    assert not ids & {cell.cell_id for cell in marked.cells}
    back = mark(marked, frozenset())
    assert [cell.cell_id for cell in back.cells] == [cell.cell_id for cell in plan.cells]


def test_prompts_stay_the_same():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, frozenset({URL}))
    mine = [(t.cell.point, t.seed) for t in plan.models[0].trials({})]
    assert [(t.cell.point, t.seed) for t in marked.models[0].trials({})] == mine


def test_only_who_was_asked_changes():
    _, plan = plan_of(sweep_text())
    marked = mark(plan, frozenset({URL}))
    assert mark_asked(marked, [], frozenset()) is marked
    assert not mark_asked(marked, [URL], frozenset()).models[0].model.simulated
    assert mark_asked(plan, [URL], frozenset({URL})).models[0].model.simulated


def test_our_own_simulator_is_always_one():
    _, plan = plan_of(sweep_text(id="sim/any"))
    assert mark(plan, frozenset()).models[0].model.simulated
