import itertools
from collections import Counter

import pytest

from runner.errors import UsageError
from runner.models.spec import resolve_all
from runner.models.thinking import ROOM
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


def test_errors_count_where_they_are_planned():
    plan = plan_of(GRID)
    cell = plan.models[0].cells[0]
    errors = {
        cell.cell_id: {0: "transient", 2: "timeout", 7: "timeout"},
        "elsewhere": {0: "transient"},
    }
    assert plan.standing_errors(errors) == {"transient": 1, "timeout": 1}


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


def test_repeats_of_a_task_replace_the_sweeps_and_a_models_are_the_most():
    plan = plan_of(GRID + "repeats = 7", model="price = 0\nrepeats = 4")
    repeats = [
        Counter((cell.task.name, cell.repeats) for cell in model.cells) for model in plan.models
    ]
    single, negative = "needle_threading.single_needle", "niah.negative"
    assert repeats[0] == {(single, 3): 6, (negative, 4): 2}
    assert repeats[1] == {(single, 3): 6, (negative, 7): 2}
    trials = list(plan.models[1].trials({}))
    assert len({trial.trial_id for trial in trials}) == len(trials) == 6 * 3 + 2 * 7
    assert plan.models[0].n_trials == len(list(plan.models[0].trials({}))) == 6 * 3 + 2 * 4


def test_a_point_in_two_entries_is_asked_as_often_as_the_one_that_asks_more():
    one = '[[tasks]]\nname = "niah.negative"\nsize = 500\nrepeats = '
    assert plan_of(f"{one}5\n{one}2").n_trials == 2 * 5


CHAIN = '[[tasks]]\nname = "needlechain.forward"\nk = 5\nquestion = "single"\n'


def test_what_the_official_profile_does_not_count_is_not_sent():
    plan = plan_of(CHAIN, sweep='repeats = 200\nprofile = "official"')
    assert [cell.repeats for cell in plan.cells] == [100, 100]
    assert any("100 of 200 repeats are sent" in remark for remark in plan.remarks)
    for sweep in ("repeats = 200", 'repeats = 100\nprofile = "official"'):
        assert not plan_of(CHAIN, sweep=sweep).remarks


def flenqa(*names: str) -> str:
    return "".join(f'[[tasks]]\nname = "flenqa.{name}"\nsize = 500\n' for name in names)


@pytest.mark.parametrize(
    ("names", "repeats", "said"),
    [
        (("monorel",), 1, "1 of 1"),
        (("pir",), 5, "2 of 5"),
        (("monorel", "pir", "ruletaker"), 5, "8 of 15"),
        (("monorel", "pir"), 5, None),
        (("monorel", "pir", "ruletaker"), 4, None),
        (("next_word",), 1, None),
    ],
)
def test_labels_that_cannot_be_balanced_are_said(
    names: tuple[str, ...], repeats: int, said: str | None
):
    remarks = plan_of(flenqa(*names), sweep=f"repeats = {repeats}").remarks
    assert len(remarks) == (said is not None)
    assert said is None or f"{said} questions are True" in remarks[0]


def test_room_for_thinking_is_said_once_a_model_where_a_published_cap_is_raised():
    text = """
[[models]]
id = "compat/gpt-oss-120b"
base_url = "http://127.0.0.1:9/v1"
price = 0
"""
    plan = plan_of(text + GRID)
    (said,) = plan.remarks
    assert said.startswith("compat/gpt-oss-120b: it thinks")
    assert {cell.output_cap for cell in plan.models[2].cells} >= {256 + ROOM}
    assert not plan_of(text + "params = { max_tokens = 2000 }" + GRID).remarks
    assert not plan_of(text + CHAIN).remarks  # published for models that think
