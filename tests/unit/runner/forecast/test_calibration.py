from runner.forecast.calibration import choose, chosen_plan
from runner.plan.cell import size_of
from runner.plan.plan import ModelPlan
from tests.fakes.plans import plan_of, sweep_text

TASKS = """
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 4000, 8000, 800000]
depth = [0, 50, 100]
[[tasks]]
name = "flenqa.pir"
size = [250, 1000]
padding = "similar"
placement = "first"
"""


def model_of(tasks: str = TASKS, **more: str) -> ModelPlan:
    return plan_of(sweep_text(tasks=tasks, **more))[1].models[0]


def test_short_trials_of_every_kind_of_reply_and_two_sizes():
    chosen = choose(model_of(sweep="repeats = 10"), {}, 12)
    assert len({trial.trial_id for trial in chosen}) == 12
    by_task: dict[tuple[str, object], set[float]] = {}
    for trial in chosen:
        name = (trial.cell.task.name, trial.cell.point.axes.get("cot"))
        by_task.setdefault(name, set()).add(size_of(trial.cell))
    assert by_task == {
        ("needle_threading.single_needle", None): {2000, 8000},
        ("flenqa.pir", False): {250, 1000},
        ("flenqa.pir", True): {250, 1000},
    }


def test_a_second_size_that_is_dear_is_sent_once():
    tasks = TASKS.split('[[tasks]]\nname = "flenqa', maxsplit=1)[0].replace("4000, 8000, ", "")
    chosen = choose(model_of(tasks, sweep="repeats = 10"), {}, 8)
    assert [size_of(trial.cell) for trial in chosen].count(800_000) == 1


def test_what_is_done_is_not_chosen():
    model = model_of(sweep="repeats = 1")
    first = choose(model, {}, 3)
    done = {trial.cell.cell_id: frozenset({trial.repeat}) for trial in first}
    assert not {t.trial_id for t in choose(model, done, 3)} & {t.trial_id for t in first}


def test_no_more_than_there_are():
    model = model_of(sweep="repeats = 1")
    assert len(choose(model, {}, 10_000)) == model.n_trials


def test_what_exceeds_the_window_teaches_nothing():
    model = model_of(model="context_window = 5000", sweep="repeats = 10")
    assert max(size_of(trial.cell) for trial in choose(model, {}, 12)) <= 5000


def test_chosen_trials_are_a_plan():
    _, plan = plan_of(sweep_text(tasks=TASKS))
    first = chosen_plan(plan, {}, 4)
    trials = list(first.models[0].trials({}))
    assert first.n_trials == len(trials) == 4
    done = {trials[0].cell.cell_id: frozenset({trials[0].repeat})}
    assert first.models[0].n_pending(done) == 3
    assert {t.trial_id for t in trials} <= {t.trial_id for t in plan.models[0].trials({})}
