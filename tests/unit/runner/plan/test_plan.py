import itertools
from collections import Counter

import pytest

from runner.errors import UsageError
from runner.models.spec import resolve_all
from runner.plan.build import plan_sweep
from runner.plan.fit import refuse_hopeless
from runner.plan.plan import Plan, restrict
from tests.fakes.sweeps import make_config

NOW_US = 1_700_000_000_000_000


def plan_of(tasks: str, *, sweep: str = "repeats = 3", model: str = "price = 0") -> Plan:
    config = make_config(f"""
[sweep]
{sweep}
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
{model}
[[models]]
id = "compat/b"
base_url = "http://127.0.0.1:9/v1"
price = 0
{tasks}
""")
    return plan_sweep(config, resolve_all(config, NOW_US))


GRID = """
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 4000]
depth = [0, 50, 100]
[[tasks]]
name = "niah.negative"
size = [500, 1000]
"""


def test_every_trial_comes_once_in_an_order_of_the_seed():
    plan = plan_of(GRID)
    model = plan.models[0]
    trials = list(model.trials({}))
    assert len(trials) == model.n_trials == 8 * 3
    assert len({trial.trial_id for trial in trials}) == 24
    again = [trial.trial_id for trial in plan_of(GRID).models[0].trials({})]
    assert again == [trial.trial_id for trial in trials]
    other = plan_of(GRID, sweep="repeats = 3\nseed = 5").models[0]
    points = [(t.cell.point.point_id, t.repeat) for t in other.trials({})]
    assert points != [(t.cell.point.point_id, t.repeat) for t in trials]


def test_all_models_see_the_same_prompts_in_the_same_order():
    first, second = plan_of(GRID).models
    assert [(t.cell.point, t.seed) for t in first.trials({})] == [
        (t.cell.point, t.seed) for t in second.trials({})
    ]
    ids = {t.trial_id for t in first.trials({})} & {t.trial_id for t in second.trials({})}
    assert ids == set()


def test_questions_about_one_haystack_stand_together():
    order = [
        (t.cell.point.axes.get("size"), t.repeat)
        for t in plan_of(GRID).models[0].trials({})
        if t.cell.task.name == "needle_threading.single_needle"
    ]
    runs = 1 + sum(a != b for a, b in itertools.pairwise(order))
    assert runs == 2 * 3  # sizes x repeats: one run of three depths each


def test_what_is_done_is_left_out_and_counted():
    model = plan_of(GRID).models[0]
    cell = model.cells[0]
    done = {cell.cell_id: frozenset({0, 2, 7}), "elsewhere": frozenset({0})}
    assert model.n_pending(done) == 24 - 2
    left = [t.repeat for t in model.trials(done) if t.cell.cell_id == cell.cell_id]
    assert left == [1]


def test_a_point_in_two_entries_is_planned_once():
    twice = plan_of(GRID + '[[tasks]]\nname = "niah.negative"\nsize = [500]\n')
    assert twice.n_trials == plan_of(GRID).n_trials


def test_identity_follows_whatever_changes_the_reply():
    def ids(**changes: str) -> set[str]:
        return {cell.cell_id for cell in plan_of(GRID, **changes).models[0].cells}

    plain = ids()
    assert ids() == plain
    assert ids(sweep="repeats = 9") == plain
    assert not ids(model="price = 0\nparams = { temperature = 0.5 }") & plain
    assert ids(model="price = { input = 1.0, output = 1.0 }") == plain


def test_infeasible_points_are_counted_by_reason():
    plan = plan_of(
        '[[tasks]]\nname = "needle_threading.multi_threading"\nsize = 2000\n'
        "thread_length = 10\nthreads = [2, 3, 5]\n"
    )
    assert sum(plan.skipped.values()) == 2 * 4
    assert plan.models[0].n_trials == 4 * 3


def test_a_grid_without_any_feasible_point_is_refused():
    tiny = '[[tasks]]\nname = "niah.magic_number"\nsize = [100, 150]\n'
    with pytest.raises(UsageError, match=r"tasks\[0\]: niah\.magic_number: no point .* size = 100"):
        plan_of(tiny)


def test_a_restricted_plan_keeps_its_order():
    plan = plan_of(GRID)
    keep = frozenset(cell.cell_id for cell in plan.models[0].cells[:2])
    small = restrict(plan, keep)
    assert [model.n_trials for model in small.models] == [6, 0]
    assert Counter(t.cell.cell_id for t in small.models[0].trials({})) == dict.fromkeys(keep, 3)


def test_a_task_that_fits_nobody_is_refused():
    config = make_config("""
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
context_window = 8192
[[tasks]]
name = "needle_threading.single_needle"
size = [2000]
[[tasks]]
name = "needle_threading.threading"
size = [800000, 1000000]
""")
    plan = plan_sweep(config, resolve_all(config, NOW_US))
    with pytest.raises(UsageError, match=r"sweep\.toml: tasks\[1\]\.size: .*compat/a 8,192"):
        refuse_hopeless(config, plan)


def test_rows_hold_what_the_cells_table_wants():
    row = plan_of(GRID).models[0].cells[0].to_row()
    assert (row.size, row.size_unit, row.model) == (2000.0, "chars", "compat/a")
    assert row.point == '{"depth":0,"size":2000}'
    assert '"max_tokens":104' in row.params
