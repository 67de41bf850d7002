"""Given rows, expected rows: accuracy, its intervals, and what does not count."""

import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from tests.sql.facts import Facts, view

SINGLE = "needle_threading.single_needle"


def one_cell(*values, **sweep):
    facts = Facts().sweep(**sweep)
    cell = facts.cell(SINGLE, 2000, depth=50)
    for value in values:
        facts.trial(cell, value)
    return facts


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(54, 55, 90.39, 99.68), (0, 55, 0, 6.53), (104, 180, 50.47, 64.76)],
)
def test_wilson_interval_of_a_cell_has_the_published_values(right, n, low, high):
    facts = one_cell(*[1.0] * right, *[0.0] * (n - right), repeats=n)
    (row,) = view(facts, "select * from cell_accuracy")
    assert row["n_answered"] == n
    assert round(100 * row["ci_low"], 2) == pytest.approx(low)
    assert round(100 * row["ci_high"], 2) == pytest.approx(high)


def test_trials_without_an_answer_are_counted_beside_the_rate():
    facts = one_cell(1.0, 0.0, repeats=8)
    cell = facts.cell(SINGLE, 2000, depth=50)
    facts.trial(cell, outcome="refused")
    facts.trial(cell, outcome="blocked_output:recitation")
    facts.trial(cell, outcome="unsent")
    facts.trial(cell, 1.0, outcome="truncated")
    (row,) = view(facts, "select * from cell_accuracy")
    assert (row["n_planned"], row["n_answered"], row["n_not_evaluated"]) == (8, 3, 5)
    assert row["n_truncated"] == 1
    assert row["n_pending"] == 3
    assert row["accuracy"] == pytest.approx(2 / 3)


def test_a_cell_without_answers_has_no_accuracy():
    facts = one_cell(repeats=4)
    (row,) = view(facts, "select * from cell_accuracy")
    assert (row["n_planned"], row["n_answered"]) == (4, 0)
    assert row["accuracy"] is None
    assert row["ci_low"] is None


def test_the_newest_score_is_shown_and_no_score_outlives_its_answer():
    facts = Facts().sweep()
    cell = facts.cell(SINGLE, 2000, depth=0)
    again = facts.trial(cell, 0.0, scored_at=5)
    facts.score(again, 1.0, at=9)
    lost = facts.trial(cell, 1.0)
    facts.attempt(lost, n=2, outcome="refused")
    rows = view(facts, "select * from trial_results order by repeat")
    assert [row["value"] for row in rows] == [1.0, None]
    assert [row["outcome"] for row in rows] == ["answered", "refused"]


def test_a_trial_is_pending_until_an_attempt_ends_it():
    facts = Facts().sweep()
    cell = facts.cell(SINGLE, 2000, depth=0)
    facts.trial(cell, outcome="rate_limited", final=False)
    facts.trial(cell, outcome="timeout", final=True)
    facts.trial(cell, outcome="answered", ended=False)
    facts.trial(cell, outcome="unsent")
    rows = view(facts, "select outcome from trial_results order by repeat")
    assert [row["outcome"] for row in rows] == ["pending", "timeout", "pending", "pending"]


def test_costs_of_all_attempts_add_up_and_unknown_is_never_zero():
    facts = Facts().sweep()
    cell = facts.cell(SINGLE, 2000, depth=0)
    known = facts.trial(cell, outcome="timeout", final=False, cost=2 * 10**12)
    facts.attempt(known, n=2, cost=10**12)
    partly = facts.trial(cell, outcome="timeout", final=False, cost=None, maybe_billed=True)
    facts.attempt(partly, n=2, cost=10**12)
    facts.trial(cell, 1.0, cost=None)
    rows = view(facts, "select * from trial_results order by repeat")
    assert [row["cost_usd"] for row in rows] == [3.0, 1.0, None]
    assert [row["n_cost_unknown"] for row in rows] == [0, 1, 1]
    assert [row["attempts"] for row in rows] == [2, 2, 1]


def test_identical_prompts_are_counted_once_as_unique():
    facts = Facts().sweep()
    cell = facts.cell("flenqa.monorel", 250, unit="tokens", cot=False)
    for _ in range(4):
        facts.trial(cell, 1.0, prompt="same")
    (row,) = view(facts, "select n_answered, n_unique from cell_accuracy")
    assert row == {"n_answered": 4, "n_unique": 1}


def pooled(values_by_seed, **switches):
    """Cells of one size, each seed's values spread over depths."""
    facts = Facts().sweep(switches=switches)
    for seed, values in enumerate(values_by_seed):
        for depth, value in enumerate(values):
            facts.trial(facts.cell(SINGLE, 2000, depth=depth), value, repeat=seed)
    return view(facts, "select * from accuracy_by_size")[0]


def test_repeats_that_share_a_haystack_widen_the_pooled_interval():
    clustered = pooled([[1.0] * 10, [1.0] * 10, [0.0] * 10, [0.0] * 10, [1.0] * 10])
    spread = pooled([[1.0] * 6 + [0.0] * 4] * 5)
    assert clustered["accuracy"] == spread["accuracy"] == pytest.approx(0.6)
    assert (clustered["n_answered"], clustered["clusters"]) == (50, 5)
    # Fully dependent: no more than the five haystacks, less Student's t at 4 degrees of freedom.
    assert clustered["n_effective"] == pytest.approx(4 * (1.96 / 2.776) ** 2, rel=0.02)
    assert spread["n_effective"] == 50
    assert clustered["ci_low"] < spread["ci_low"]


def test_duplicate_prompts_do_not_narrow_the_pooled_interval():
    facts = Facts().sweep()
    for padding in ("similar", "different"):
        cell = facts.cell("flenqa.pir", 250, unit="tokens", padding=padding, cot=False)
        for repeat in range(6):
            facts.trial(cell, float(repeat % 2), prompt=f"p{repeat}", repeat=repeat)
    (row,) = view(facts, "select * from accuracy_by_size")
    assert (row["n_answered"], row["n_unique"]) == (12, 6)
    assert row["n_effective"] <= 6


def test_sizes_without_any_answer_stay_in_the_table():
    facts = Facts().sweep(repeats=3)
    facts.cell(SINGLE, 4000, depth=0)
    (row,) = view(facts, "select * from accuracy_by_size")
    assert (row["n_planned"], row["n_answered"], row["n_not_evaluated"]) == (3, 0, 3)
    assert row["accuracy"] is None
    assert row["chance"] == pytest.approx(1 / 50)


def test_overall_is_the_published_mean_of_five_tasks():
    facts = Facts().sweep()
    means = {
        "single_needle": 100.0,
        "multi_needle": 100.0,
        "conditional_needle": 98.6,
        "threading": 57.8,
        "multi_threading": 82.2,
        "branched_threading": 3.0,
    }
    for task, mean in means.items():
        facts.trial(facts.cell(f"needle_threading.{task}", 2000, depth=0), mean / 100)
    (row,) = view(facts, "select * from overall_accuracy")
    assert round(100 * row["accuracy"], 1) == 87.7
    assert row["paper_complete"]
    assert row["n_tasks"] == 5


def test_overall_is_blank_where_a_model_lacks_a_task():
    facts = Facts().sweep()
    for model, tasks in {"alpha": ("threading", "multi_needle"), "beta": ("threading",)}.items():
        for task in tasks:
            facts.trial(facts.cell(f"needle_threading.{task}", 2000, model=model), 1.0)
    rows = view(facts, "select model, accuracy, n_tasks from overall_accuracy order by model")
    assert rows[0] == {"model": "alpha", "accuracy": 1.0, "n_tasks": 2}
    assert rows[1] == {"model": "beta", "accuracy": None, "n_tasks": 1}


def test_simulated_and_real_answers_never_share_a_row():
    facts = Facts().sweep()
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0)
    facts.simulated = True
    facts.trial(facts.cell(SINGLE, 2000, depth=0, provider="sim"), 0.0)
    rows = view(facts, "select simulated, accuracy from accuracy_by_size order by simulated")
    assert rows == [{"simulated": False, "accuracy": 1.0}, {"simulated": True, "accuracy": 0.0}]


def test_models_asked_in_several_ways_are_told_apart():
    facts = Facts().sweep()
    cold = {"temperature": 0, "max_tokens": 64}
    facts.trial(facts.cell(SINGLE, 2000, depth=0, params=cold), 1.0)
    facts.trial(facts.cell(SINGLE, 2000, depth=0, params={"temperature": 1}), 0.0)
    facts.trial(facts.cell(SINGLE, 2000, depth=9, params={**cold, "max_tokens": 99}), 1.0)
    rows = view(facts, "select setup, n_answered from accuracy_by_size order by n_answered")
    assert [row["n_answered"] for row in rows] == [1, 2]
    assert len({row["setup"] for row in rows} - {""}) == 2


def test_another_seed_asks_other_trials_and_the_same_seed_the_same():
    facts = Facts()
    for index, (seed, repeats) in enumerate([(0, 5), (0, 3), (1, 2)]):
        facts.sweep(f"sweep-{index}", seed=seed, repeats=repeats, at=index)
        facts.cell(SINGLE, 2000, depth=0)
    (row,) = view(facts, "select n_planned from cell_accuracy")
    assert row["n_planned"] == 7


def test_needlechain_rows_leaves_later_instances_out():
    for rows, expected in (("all", 0.5), ("first100", 1.0)):
        facts = Facts().sweep(switches={"needlechain.rows": rows})
        cell = facts.cell("needlechain.forward", k=5, question="single")
        facts.trial(cell, 1.0, repeat=99)
        facts.trial(cell, 0.0, repeat=100)
        (row,) = view(facts, "select accuracy from cell_accuracy")
        assert row["accuracy"] == expected


def test_metric_switches_are_those_of_the_newest_sweep_or_rescore():
    facts = Facts().sweep(profile="official", at=1)
    trial = facts.trial(facts.cell("needlechain.mixed", k=5, question="single"), 1.0)
    shown = "select needlechain_rows, fisher_alt, dedup from settings"
    official = {"needlechain_rows": "first100", "fisher_alt": "greater", "dedup": False}
    assert view(facts, shown) == [official]
    facts.score(trial, 1.0, switches={"needlechain.rows": "all", "flenqa.dedup": True}, at=2)
    assert view(facts, shown) == [{**official, "needlechain_rows": "all", "dedup": True}]
    facts.sweep("sweep-2", profile="official", at=3)
    assert view(facts, shown) == [official]


def test_student_t_is_exact():
    with Facts().connect() as connection:
        found = connection.execute("select df, t from stg_student_t order by df").fetchall()
    assert [df for df, _ in found] == list(range(1, 2001))
    for df, value in found:
        assert value == pytest.approx(student.ppf(0.975, df), abs=2e-6)


def test_under_the_papers_profile_intervals_are_wilsons():
    """53 of 55 is 88 to 99 % in the paper, whatever shares a haystack."""
    facts = Facts().sweep(profile="paper", repeats=5)
    wrong = {(0, 0), (0, 1)}
    for depth in range(11):
        cell = facts.cell(SINGLE, 2000, depth=depth)
        for repeat in range(5):
            facts.trial(cell, float((repeat, depth) not in wrong), repeat=repeat)
    (row,) = view(facts, "select * from accuracy_by_size")
    wilson = binomtest(53, 55).proportion_ci(method="wilson")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((wilson.low, wilson.high))
    assert (round(row["ci_low"], 2), round(row["ci_high"], 2)) == (0.88, 0.99)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        (
            {("flenqa.pir", False): 0.9, ("flenqa.monorel", False): 0.7, ("flenqa.pir", True): 0.2,
             ("flenqa.monorel", True): 0.4},
            {"false": 0.8, "true": 0.3},
        ),
    ],
)  # fmt: skip
def test_overall_never_averages_what_was_asked_in_two_ways(tasks, expected):
    facts = Facts().sweep()
    for (task, cot), accuracy in tasks.items():
        facts.trial(facts.cell(task, 500, unit="tokens", cot=cot), accuracy)
    facts.trial(facts.cell("flenqa.next_word", 500, unit="tokens"), 0.0)
    rows = view(facts, "select condition, accuracy from overall_accuracy")
    assert {row["condition"]: row["accuracy"] for row in rows} == pytest.approx(expected)


def test_overall_leaves_unlike_tasks_out_and_questions_apart():
    facts = Facts().sweep()
    for task, accuracy in (("magic_number", 0.8), ("negative", 0.1), ("custom", 0.2)):
        facts.trial(facts.cell(f"niah.{task}", 1000, unit="tokens"), accuracy)
    for task, question, accuracy in (
        ("forward", "single", 1.0), ("stack", "single", 0.9),
        ("forward", "total", 0.1), ("stack", "total", 0.0),
    ):  # fmt: skip
        facts.trial(facts.cell(f"needlechain.{task}", k=5, question=question), accuracy)
    rows = view(facts, "select benchmark, condition, accuracy from overall_accuracy")
    assert {(row["benchmark"], row["condition"]): row["accuracy"] for row in rows} == pytest.approx(
        {("niah", ""): 0.8, ("needlechain", "single"): 0.95, ("needlechain", "total"): 0.05}
    )


def test_the_simulator_s_tasks_do_not_blank_the_real_model_s_overall():
    facts = Facts().sweep()
    for task in ("threading", "multi_needle"):
        facts.trial(facts.cell(f"needle_threading.{task}", 2000), 1.0)
    facts.simulated = True
    for task in ("threading", "multi_needle", "conditional_needle"):
        facts.trial(facts.cell(f"needle_threading.{task}", 2000, base_url="http://sim"), 0.0)
    rows = view(facts, "select simulated, accuracy from overall_accuracy order by simulated")
    assert rows == [{"simulated": False, "accuracy": 1.0}, {"simulated": True, "accuracy": 0.0}]


def test_a_switch_that_some_tasks_do_not_know_splits_no_mean():
    """Two ways to index depths: threading has no depth, and counts in the mean of either."""
    facts = Facts().sweep()
    ways = [{"nt.order": "a", "nt.depth_index": "a"}, {"nt.order": "b", "nt.depth_index": "b"}]
    for switches, accuracy in zip(ways, (1.0, 0.0), strict=True):
        facts.trial(facts.cell(SINGLE, 2000, depth=0, switches=switches), accuracy)
        known = {"nt.order": switches["nt.order"]}
        threading = facts.cell("needle_threading.threading", 2000, switches=known)
        facts.trial(threading, accuracy)
    facts.trial(facts.cell("needle_threading.multi_needle", 2000), 0.5)
    rows = view(facts, "select n_tasks, accuracy from overall_accuracy order by accuracy")
    assert rows == [
        {"n_tasks": 3, "accuracy": pytest.approx(0.5 / 3)},
        {"n_tasks": 3, "accuracy": pytest.approx(2.5 / 3)},
    ]


def test_a_parameter_that_was_left_out_is_a_way_of_its_own():
    facts = Facts().sweep()
    for params, accuracy in (({"top_p": 1}, 1.0), ({"temperature": 0, "top_p": 1}, 0.0)):
        for task in (SINGLE, "needle_threading.threading"):
            facts.trial(facts.cell(task, 2000, params=params), accuracy)
    rows = view(facts, "select n_tasks, accuracy from overall_accuracy order by accuracy")
    assert rows == [{"n_tasks": 2, "accuracy": 0.0}, {"n_tasks": 2, "accuracy": 1.0}]


def test_what_does_not_count_was_paid_for_and_is_not_pending():
    """200 rows were bought and the first 100 count: 60 of those and 100 others have ended."""
    facts = Facts().sweep(repeats=200, switches={"needlechain.rows": "first100"})
    cell = facts.cell("needlechain.forward", k=5, question="single")
    for repeat in (*range(60), *range(100, 200)):
        facts.trial(cell, 1.0, repeat=repeat, label="correct", cost=10**12)
    only_others = facts.cell("needlechain.mixed", k=5, question="single")
    facts.trial(only_others, 1.0, repeat=150, label="correct", cost=10**12)
    counted = ("n_planned", "n_answered", "n_not_evaluated", "n_pending", "cost_usd")
    rows = view(facts, "select * from cell_accuracy order by n_answered")
    assert [[row[name] for name in counted] for row in rows] == [
        [100, 0, 100, 100, 1],
        [100, 60, 40, 40, 160],
    ]
    ended = view(facts, "select task, outcome, n from outcomes order by task, outcome")
    assert [tuple(row.values()) for row in ended] == [
        ("needlechain.forward", "answered", 60),
        ("needlechain.forward", "pending", 40),
        ("needlechain.mixed", "pending", 100),
    ]
    wrong = view(facts, "select n, n_not_evaluated from needlechain_errors order by n")
    assert [tuple(row.values()) for row in wrong] == [(0, 100), (60, 40)]
    assert view(facts, "select settled from spend")[0]["settled"] == 161


def test_cells_that_a_later_sweep_dropped_stay_in_the_money():
    facts = Facts().sweep(repeats=1)
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0, cost=10**12)
    facts.sweep("sweep-2", repeats=1, at=1)
    facts.trial(facts.cell(SINGLE, 4000, depth=0), 1.0, cost=10**12)
    (row,) = view(facts, "select n_planned, n_done, spent_usd from progress")
    assert row == {"n_planned": 1, "n_done": 1, "spent_usd": 2.0}
