"""Given rows, expected rows: refusals, biases, errors, comparisons, money and time."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact, t, ttest_1samp

from state.records import ERRORS, SCORED, Outcome
from tasks.identity import trial_seed
from tests.sql.facts import PRICE, Facts, view

SINGLE = "needle_threading.single_needle"


def test_refusals_are_split_and_leave_out_what_could_not_be_sent():
    facts = Facts().sweep()
    cell = facts.cell("flenqa.pir", 500, unit="tokens", cot=False)
    for outcome in (
        "refused",
        "blocked_input:content_filter",
        "blocked_output",
        "empty",
        "truncated_reasoning",
        "over_context",
        "timeout",
    ):
        facts.trial(cell, outcome=outcome)
    facts.trial(cell, 0.0, label="other/refused")
    facts.trial(cell, 1.0, outcome="truncated", label="true")
    facts.trial(cell, 1.0, label="true")
    facts.trial(cell, outcome="unsent")
    (row,) = view(facts, "select * from refusals")
    kinds = ("n", "refused", "blocked", "empty", "text_refused", "truncated")
    assert [row[kind] for kind in kinds] == [9, 1, 2, 1, 1, 1]
    assert (row["truncated_reasoning"], row["not_sendable"]) == (1, 1)
    assert row["rate"] == pytest.approx(5 / 9)


def test_an_answer_that_is_marked_is_an_answer():
    facts = Facts().sweep()
    cell = facts.cell("needle_threading.single_needle", 2000, depth=50)
    for outcome in ("answered:no_finish_reason", "truncated:context_window", "answered"):
        facts.trial(cell, 1.0, outcome=outcome)
    facts.trial(cell, outcome="malformed:no_finish_reason")
    (row,) = view(facts, "select n_answered, accuracy from accuracy_by_size")
    assert row == {"n_answered": 3, "accuracy": 1.0}
    counts = view(facts, "select outcome from outcomes where counts_in_accuracy")
    assert len(counts) == 3
    assert view(facts, "select n from latency") == [{"n": 3}]


def said(facts, cell, **labels):
    for label, count in labels.items():
        for _ in range(count):
            facts.trial(cell, float(label == "true"), label=label.replace("other", "other/refused"))


def judged(facts, cell, replies, *, prompts=None):
    """Trials from (right answer, what was said) pairs."""
    for at, (gold, answer) in enumerate(replies):
        prompt = None if prompts is None else prompts[at]
        facts.trial(cell, float(gold == answer), label=answer, prompt=prompt)


def bias_of(replies):
    """Said False less said True, less the same of the right answers, over the verdicts and n."""
    decided = [(gold, answer) for gold, answer in replies if answer in {"true", "false"}]
    signs = {"true": -1, "false": 1}
    return sum(signs[answer] - signs[gold] for gold, answer in decided) / len(replies)


def test_false_bias_counts_every_answer():
    facts = Facts().sweep()
    cell = facts.cell("flenqa.monorel", 1000, unit="tokens", cot=True)
    replies = [
        *[("true", "true")] * 8, *[("false", "true")] * 2,
        *[("true", "false")] * 10, *[("false", "false")] * 15,
        *[("true", "refused")] * 5,
    ]  # fmt: skip
    judged(facts, cell, replies)
    facts.trial(cell, outcome="refused")
    (row,) = view(facts, "select * from false_bias")
    assert (row["n_true"], row["n_false"], row["n_other"], row["cot"]) == (10, 25, 5, True)
    assert row["n_not_evaluated"] == 1
    assert row["p_false"] == 25 / 40
    assert row["bias"] == pytest.approx(bias_of(replies)) == pytest.approx(16 / 40)
    assert -1 <= row["bias_low"] < 16 / 40 < row["bias_high"] <= 1


@pytest.mark.parametrize("repeats", [1, 2, 3, 5, 8])
def test_reference_readers_have_their_bias_whatever_the_repeats(repeats):
    golds = [("true", "false")[repeat % 2] for repeat in range(repeats)]
    readers = {
        "perfect": golds,
        "always true": ["true"] * repeats,
        "always false": ["false"] * repeats,
        "refuses": ["refused"] * repeats,
    }
    facts = Facts().sweep()
    for model, answers in readers.items():
        cell = facts.cell("flenqa.pir", 500, unit="tokens", cot=False, model=model)
        judged(facts, cell, list(zip(golds, answers, strict=True)))
    rows = {row["model"]: row for row in view(facts, "select * from false_bias")}
    for model, answers in readers.items():
        wanted = bias_of(list(zip(golds, answers, strict=True)))
        assert rows[model]["bias"] == pytest.approx(wanted)
        assert rows[model]["bias_low"] < rows[model]["bias_high"]
        assert rows[model]["bias_low"] <= wanted <= rows[model]["bias_high"]
    assert rows["perfect"]["bias"] == rows["refuses"]["bias"] == 0
    if repeats % 2 == 0:
        assert (rows["always true"]["bias"], rows["always false"]["bias"]) == (-1, 1)


def test_chance_is_what_the_commonest_right_answer_would_get():
    facts = Facts().sweep()
    for model, answer in (("always", "true"), ("never", "false"), ("mute", "refused")):
        cell = facts.cell("flenqa.pir", 500, unit="tokens", cot=False, model=model)
        judged(facts, cell, [("true", answer), ("false", answer), ("true", answer)])
    rows = view(facts, "select model, accuracy, chance from accuracy_by_size order by model")
    assert [row["chance"] for row in rows] == pytest.approx([2 / 3, 0.5, 2 / 3])
    assert rows[0]["accuracy"] == rows[0]["chance"]


def test_identical_prompts_do_not_narrow_the_interval_of_the_bias():
    """Twelve variants of ten problems, all one text a problem, each always answered alike."""
    replies = [("true", "false" if at < 3 else "true") for at in range(5)]
    replies += [("false", "true" if at < 1 else "false") for at in range(5)]
    bounds = []
    for variants in (1, 12):
        facts = Facts().sweep(repeats=10)
        for variant in range(variants):
            cell = facts.cell("flenqa.pir", 250, unit="tokens", cot=False, padding=str(variant))
            judged(facts, cell, replies, prompts=[f"p{at}" for at in range(10)])
        (row,) = view(facts, "select * from false_bias")
        assert (row["n_unique"], row["clusters"]) == (10, 10)
        assert row["bias"] == pytest.approx(bias_of(replies))
        bounds.append((row["bias_low"], row["bias_high"]))
    assert bounds[0] == pytest.approx(bounds[1])
    spread = np.array(
        [{True: 0, False: 2}[g == a] * (1 if a == "false" else -1) for g, a in replies]
    )
    half = t.ppf(0.975, 9) * spread.std(ddof=1) / math.sqrt(10)
    assert bounds[0][0] <= spread.mean() - half + 1e-9
    assert bounds[0][1] >= min(1, spread.mean() + half) - 1e-9


def test_other_tasks_have_no_false_bias():
    facts = Facts().sweep()
    facts.trial(facts.cell("flenqa.next_word", 500, unit="tokens"), 1.0, label="true")
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0)
    assert view(facts, "select * from false_bias") == []


def test_answer_histogram_shows_what_was_not_answered():
    facts = Facts().sweep()
    cell = facts.cell("flenqa.pir", 250, unit="tokens", cot=False)
    said(facts, cell, true=2, false=1)
    facts.trial(cell, outcome="empty")
    rows = view(facts, "select answer, n, share from answer_histogram order by answer")
    assert rows == [
        {"answer": "(empty)", "n": 1, "share": 0.25},
        {"answer": "false", "n": 1, "share": 0.25},
        {"answer": "true", "n": 2, "share": 0.5},
    ]


def reasoned(failed_wrong, failed_right, sound_wrong, sound_right):
    facts = Facts().sweep()
    cell = facts.cell("flenqa.monorel", 1000, unit="tokens", cot=True)
    for count, early, value in (
        (failed_wrong, True, 0.0),
        (failed_right, True, 1.0),
        (sound_wrong, False, 0.0),
        (sound_right, False, 1.0),
    ):
        for _ in range(count):
            facts.trial(cell, value, detail={"early": early, "covered": 2, "n_key": 2})
    return facts


def test_odds_ratio_and_fisher_have_the_published_values():
    query = "select * from odds_ratios where failure = 'early_answer'"
    (row,) = view(reasoned(30, 20, 10, 40), query)
    assert row["odds_ratio"] == pytest.approx(6.0)
    assert row["p_greater"] == pytest.approx(4.154e-05, rel=1e-3)
    assert row["p_two_sided"] == pytest.approx(8.309e-05, rel=1e-3)


@pytest.mark.parametrize("table", [(3, 9, 14, 2), (8, 1, 1, 8), (5, 5, 5, 5), (1, 30, 2, 3)])
def test_fisher_agrees_with_scipy(table):
    a, b, c, d = table
    query = "select * from odds_ratios where failure = 'early_answer'"
    (row,) = view(reasoned(*table), query)
    square = np.array([[a, b], [c, d]])
    assert row["odds_ratio"] == pytest.approx(fisher_exact(square).statistic)
    assert row["p_greater"] == pytest.approx(fisher_exact(square, "greater").pvalue)
    assert row["p_two_sided"] == pytest.approx(fisher_exact(square).pvalue)


def test_a_collapsed_table_has_an_infinite_or_unknown_ratio():
    query = "select * from odds_ratios where failure = 'early_answer'"
    assert view(reasoned(4, 0, 3, 5), query)[0]["odds_ratio"] == math.inf
    row = view(reasoned(0, 0, 3, 5), query)[0]
    assert row["odds_ratio"] is None
    assert row["p_two_sided"] == pytest.approx(1)


def test_early_answers_and_coverage():
    facts = Facts().sweep()
    cell = facts.cell("flenqa.ruletaker", 500, unit="tokens", cot=True)
    direct = facts.cell("flenqa.ruletaker", 500, unit="tokens", cot=False)
    for early, covered in ((True, 0), (False, 1), (False, 2), (False, 2)):
        facts.trial(cell, 1.0, detail={"early": early, "covered": covered, "n_key": 2})
    facts.trial(direct, 1.0, detail={"early": True, "covered": 0, "n_key": 2})
    (early,) = view(facts, "select n, early, rate from early_answers")
    assert early == {"n": 4, "early": 1, "rate": 0.25}
    (cover,) = view(facts, "select n, coverage, n_full, failure_rate from cot_coverage")
    assert cover == {"n": 4, "coverage": 5 / 8, "n_full": 2, "failure_rate": 0.5}


def test_next_word_goes_with_reasoning():
    facts = Facts().sweep()
    for size, next_word, reasoning in ((250, 0.2, 0.9), (500, 0.4, 0.7), (1000, 0.6, 0.5)):
        facts.trial(facts.cell("flenqa.next_word", size, unit="tokens"), next_word)
        for task in ("monorel", "pir"):
            facts.trial(facts.cell(f"flenqa.{task}", size, unit="tokens", cot=False), reasoning)
    rows = view(facts, "select * from next_word order by size")
    assert [row["next_word"] for row in rows] == [0.2, 0.4, 0.6]
    assert all(row["pearson_r"] == pytest.approx(-1) for row in rows)


def chain(facts, label, presented, reasoning, **trial):
    cell = facts.cell("needlechain.backward", k=len(presented), question="single")
    detail = {"mentioned_presented": presented, "mentioned_reasoning": reasoning}
    facts.trial(cell, float(label == "correct"), label=label, detail=detail, **trial)


def test_chain_errors_and_positions():
    facts = Facts().sweep()
    chain(facts, "correct", [1, 1, 1], [1, 1, 1], tokens=(9, 0, 0, 100, 40))
    chain(facts, "needle_omission", [0, 1, 1], [1, 1, 0], tokens=(9, 0, 0, 50, None))
    chain(facts, "calculation_error", [1, 1, 1], [1, 1, 1], tokens=(9, 0, 0, None, None))
    chain(facts, "instruction_not_followed", [0, 0, 1], [1, 0, 0])
    (row,) = view(facts, "select * from needlechain_errors")
    assert (row["n"], row["n_wrong"]) == (4, 3)
    assert row["needle_omission"] == row["calculation_error"] == 1
    assert row["p_instruction_not_followed"] == 0.25
    assert row["mean_reasoning_tokens"] == 40
    places = view(
        facts,
        "select name_order, position, mentioned, ratio, missing from needlechain_positions"
        " order by name_order, position",
    )
    assert [place["mentioned"] for place in places] == [2, 3, 4, 4, 3, 2]
    assert [place["position"] for place in places] == [1, 2, 3, 1, 2, 3]
    assert places[0]["missing"] == 0.5


def test_niah_scores_on_both_scales():
    for scale, expected in (("readme", [10, 1, 1]), ("code", [1, 10, 5])):
        facts = Facts().sweep(switches={"niah.score_scale": scale})
        replies = {0: ("correct", 1.0), 50: ("unanswerable", 0.0), 99: ("not_parsable", 0.0)}
        for depth, (label, value) in replies.items():
            cell = facts.cell("niah.magic_number", 1000, unit="tokens", depth=depth)
            facts.trial(cell, value, label=label)
        rows = view(facts, "select score from niah_scores order by depth")
        assert [row["score"] for row in rows] == expected


def test_models_are_compared_on_the_prompts_that_both_answered():
    facts = Facts().sweep(repeats=6)
    left = facts.cell(SINGLE, 2000, model="alpha", depth=0)
    right = facts.cell(SINGLE, 2000, model="beta", depth=0)
    for a, b in ((1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)):
        facts.trial(left, a)
        facts.trial(right, b)
    facts.trial(left, 1.0)
    facts.trial(right, outcome="refused")
    (row,) = view(facts, "select * from cmp_models")
    assert (row["model_a"], row["model_b"], row["n_pairs"]) == ("alpha", "beta", 5)
    assert row["difference"] == pytest.approx(0.4)
    assert (row["a_better"], row["b_better"]) == (3, 1)
    assert row["p_mcnemar"] == pytest.approx(binomtest(1, 4).pvalue)
    assert row["ci_low"] < 0.4 < row["ci_high"]


def test_other_prompts_are_not_compared():
    facts = Facts().sweep()
    facts.trial(facts.cell(SINGLE, 2000, model="alpha", depth=0), 1.0, prompt="one")
    facts.trial(facts.cell(SINGLE, 2000, model="beta", depth=0), 1.0, prompt="other")
    assert view(facts, "select * from cmp_models") == []


def test_spend_is_settled_held_or_perhaps_billed():
    facts = Facts().sweep().model("alpha")
    cell = facts.cell(SINGLE, 2000, depth=0)
    facts.trial(cell, 1.0, cost=2 * 10**12, reserved=9 * 10**12)
    facts.trial(cell, outcome="answered", ended=False, reserved=3 * 10**12)
    facts.trial(
        cell, outcome="timeout", final=False, cost=None, maybe_billed=True, reserved=4 * 10**12
    )
    (row,) = view(facts, "select * from spend")
    assert (row["settled"], row["reserved"], row["maybe_billed"]) == (2, 3, 4)
    assert (row["committed"], row["n_maybe_billed"], row["cached_saving"]) == (9, 1, 0)


def test_spend_of_a_model_without_a_price_is_unknown():
    facts = Facts().sweep().model("alpha", price=None)
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0, cost=None, reserved=None)
    (row,) = view(facts, "select * from spend")
    money = ("settled", "reserved", "maybe_billed", "cached_saving")
    assert [row[name] for name in money] == [None] * 4
    assert row["n_cost_unknown"] == 1


@pytest.mark.parametrize(("cached", "saving"), [(100_000, 0.05), (300_000, 0.3)])
def test_what_a_cache_saved_is_priced_in_the_tier_of_the_request(cached, saving):
    tier = {"above": 200_000, "input": 2_000_000, "output": 8_000_000, "cache_read": 1_000_000}
    facts = Facts().sweep().model("openai/alpha", price={**PRICE, "tiers": [tier]})
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0, tokens=(5, cached, 0, 9, None))
    (row,) = view(facts, "select cached_saving from spend")
    assert row["cached_saving"] == pytest.approx(saving)


def test_tokens_per_pair_is_the_slope_and_leaves_the_instruction_out():
    facts = Facts().sweep().model("alpha")
    for size in (800, 1600, 2400):
        tokens = 49 * size // 80 + 60
        cell = facts.cell(SINGLE, size, depth=0)
        facts.trial(cell, 1.0, chars=size + 200, tokens=(tokens, 0, 0, 9, None), estimate=tokens)
    (row,) = view(facts, "select * from tokenization")
    assert row["tokens_per_pair"] == pytest.approx(49)
    assert row["tokens_per_pair_estimated"] == pytest.approx(49)
    total = sum(49 * size // 80 + 60 for size in (800, 1600, 2400))
    assert row["tokens_per_1k_chars"] == pytest.approx(1000 * total / 5400)
    assert row["tokenizer"] == "o200k_base"


def test_latency_outcomes_and_progress():
    facts = Facts().sweep(repeats=6)
    cell = facts.cell(SINGLE, 2000, depth=0)
    for seconds in (1.0, 2.0, 9.0):
        facts.trial(cell, 1.0, latency_s=seconds)
    facts.trial(cell, outcome="blocked_output:recitation", latency_s=100.0)
    facts.trial(cell, outcome="rate_limited", final=False)
    facts.pending("alpha", "pending:budget", 2)
    (times,) = view(facts, "select n, mean_s, p50_s from latency")
    assert times == {"n": 3, "mean_s": 4.0, "p50_s": 2.0}
    ends = view(facts, "select outcome, n, share from outcomes order by n desc, outcome")
    assert ends == [
        {"outcome": "answered", "n": 3, "share": 0.5},
        {"outcome": "pending", "n": 2, "share": pytest.approx(1 / 3)},
        {"outcome": "blocked_output:recitation", "n": 1, "share": pytest.approx(1 / 6)},
    ]
    (row,) = view(facts, "select * from progress")
    assert (row["n_planned"], row["n_done"], row["n_answered"], row["n_pending"]) == (6, 4, 3, 2)
    assert (row["n_begun"], row["pending_reason"]) == (1, "pending:budget")
    tries = view(facts, "select outcome, n from attempt_outcomes order by outcome")
    assert {row["outcome"]: row["n"] for row in tries}["rate_limited"] == 1


def test_progress_is_about_the_newest_plan():
    facts = Facts().sweep("old", repeats=9)
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0)
    facts.sweep("new", repeats=2, at=5)
    facts.cell(SINGLE, 2000, depth=0)
    (row,) = view(facts, "select n_planned, n_done from progress")
    assert row == {"n_planned": 2, "n_done": 1}


def paired(facts, a, b, **axes):
    """Two models' scores on the same prompts, a trial each."""
    for model, values in (("alpha", a), ("beta", b)):
        cell = facts.cell(SINGLE, 2000, depth=0, model=model, **axes)
        for value in values:
            facts.trial(cell, value)


@pytest.mark.parametrize(
    ("a", "b"), [([1.0] * 2, [0.0] * 2), ([1.0] * 29, [1.0] * 29), ([1.0], [0.0]), ([0.5], [0.5])]
)
def test_comparisons_have_a_width_whatever_the_pairs(a, b):
    facts = Facts().sweep(repeats=30)
    paired(facts, a, b)
    (row,) = view(facts, "select * from cmp_models")
    assert row["n_pairs"] == len(a)
    assert row["ci_low"] < row["ci_high"]
    assert row["ci_low"] <= row["difference"] <= row["ci_high"]
    if row["difference"] == 0:
        assert row["ci_low"] < 0 < row["ci_high"]


def test_comparisons_are_no_narrower_than_student_s_over_seeds():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, 12).astype(float), rng.integers(0, 2, 12).astype(float)
    facts = Facts().sweep(repeats=12)
    paired(facts, list(a), list(b))
    (row,) = view(facts, "select * from cmp_models")
    reference = ttest_1samp(a - b, 0).confidence_interval()
    assert row["difference"] == pytest.approx((a - b).mean())
    assert row["ci_low"] <= reference.low + 1e-6
    assert row["ci_high"] >= reference.high - 1e-6


def test_a_raised_cap_is_another_setup_and_pairs_are_one_to_one():
    facts = Facts().sweep()
    for cap, values in ((64, [0.0] * 5), (512, [1.0, 1.0, 1.0, 1.0, 0.0])):
        cell = facts.cell(SINGLE, 2000, depth=0, params={"temperature": 0, "max_tokens": cap})
        for value in values:
            facts.trial(cell, value)
    other = facts.cell(SINGLE, 2000, depth=0, model="beta", params={"temperature": 0})
    for _ in range(5):
        facts.trial(other, 1.0)
    rows = view(facts, "select setup, accuracy from accuracy_by_size where model = 'alpha'")
    assert sorted(row["accuracy"] for row in rows) == [0.0, 0.8]
    assert len({row["setup"] for row in rows}) == 2
    pairs = view(facts, "select n_pairs, a_better + b_better as unlike, p_mcnemar from cmp_models")
    assert [row["n_pairs"] for row in pairs] == [5, 5, 5]
    for row in pairs:
        assert row["p_mcnemar"] >= binomtest(0, 5).pvalue - 1e-12


def test_identical_prompts_are_one_pair():
    """Twelve variants of one text: one question that a model did better on, and not twelve."""
    facts = Facts().sweep(repeats=2)
    for model, values in (("alpha", (1.0, 1.0)), ("beta", (0.0, 1.0))):
        for variant in range(12):
            cell = facts.cell(
                "flenqa.pir", 250, unit="tokens", model=model, cot=False, padding=str(variant)
            )
            for at, value in enumerate(values):
                facts.trial(cell, value, prompt=f"p{at}")
    (row,) = view(facts, "select * from cmp_models")
    assert (row["n_pairs"], row["a_better"], row["b_better"]) == (2, 1, 0)
    assert row["p_mcnemar"] == pytest.approx(binomtest(0, 1).pvalue) == 1.0


def test_identical_prompts_count_once_in_odds_ratios():
    table = (3, 2, 1, 4)
    facts = Facts().sweep(repeats=10)
    outcomes = [
        (early, value)
        for count, early, value in zip(
            table, (True, True, False, False), (0.0, 1.0, 0.0, 1.0), strict=True
        )
        for _ in range(count)
    ]
    for variant in range(12):
        cell = facts.cell("flenqa.pir", 250, unit="tokens", cot=True, padding=str(variant))
        for at, (early, value) in enumerate(outcomes):
            detail = {"early": early, "covered": 2, "n_key": 2}
            facts.trial(cell, value, prompt=f"p{at}", detail=detail)
    (row,) = view(facts, "select * from odds_ratios where failure = 'early_answer'")
    counts = ("failed_wrong", "failed_right", "sound_wrong", "sound_right")
    assert tuple(row[name] for name in counts) == table
    square = np.array([table[:2], table[2:]])
    assert row["p_greater"] == pytest.approx(fisher_exact(square, "greater").pvalue)


@pytest.mark.parametrize("label", ["cut_off", "refused"])
def test_replies_cut_off_before_a_verdict_are_no_refusals_and_no_failures(label):
    facts = reasoned(2, 2, 2, 2)
    cell = facts.cell("flenqa.monorel", 1000, unit="tokens", cot=True)
    detail = {"early": False, "covered": 0, "n_key": 2}
    for _ in range(5):
        facts.trial(cell, 0.0, outcome="truncated", label=label, detail=detail)
    (row,) = view(facts, "select * from odds_ratios where failure = 'coverage'")
    assert (row["failed_wrong"], row["sound_wrong"], row["sound_right"]) == (0, 4, 4)
    (row,) = view(facts, "select * from refusals")
    assert (row["text_refused"], row["truncated"], row["rate"]) == (0, 5, 0)


def test_a_rated_needle_keeps_its_own_scale():
    for profile in ("default", "official"):
        facts = Facts().sweep(profile=profile)
        for size, rating in ((1000, 10), (2000, 1)):
            cell = facts.cell("niah.custom", size, unit="tokens", depth=0)
            facts.trial(cell, (rating - 1) / 9, label=str(rating))
        rows = view(facts, "select size, score from niah_scores order by size")
        assert [row["score"] for row in rows] == [10, 1]


def test_progress_is_of_each_seed():
    facts = Facts()
    for at, (name, seed) in enumerate((("first", 0), ("second", 7))):
        facts.sweep(name, name=name, seed=seed, repeats=3, at=at)
        cell = facts.cell(SINGLE, 2000, depth=0)
        for repeat in range(3 if seed == 0 else 1):
            facts.trial(cell, 1.0, repeat=repeat, seed=trial_seed(seed, repeat))
    (row,) = view(facts, "select n_planned, n_done, n_pending, share_done from progress")
    assert row == {"n_planned": 6, "n_done": 4, "n_pending": 2, "share_done": pytest.approx(4 / 6)}


def test_what_is_not_counted_was_paid_for():
    facts = Facts().sweep(profile="official", repeats=200)
    cell = facts.cell("needlechain.forward", k=5, question="single")
    for repeat in range(200):
        facts.trial(cell, float(repeat < 100), repeat=repeat, cost=10**12)
    (row,) = view(facts, "select * from cell_accuracy")
    assert (row["n_planned"], row["n_answered"], row["n_not_evaluated"]) == (100, 100, 0)
    assert (row["n_pending"], row["accuracy"], row["cost_usd"]) == (0, 1.0, 200.0)


@pytest.mark.parametrize(
    ("tokens", "saved"),
    [
        ((0, 100, 0, 5, None), 100 * (1 - 0.5)),  # read at half the price
        ((0, 0, 100, 5, None), 100 * (1 - 1.25)),  # written, and never read
        ((0, 100, 100, 5, None), 100 * 0.5 - 100 * 0.25),
        ((0, 2000, 0, 5, None), 0),  # a tier without a price for reading from the cache
    ],
)
def test_what_caches_saved_is_net(tokens, saved):
    price = {
        **PRICE,
        "cache_write": 1_250_000,
        "tiers": [{"above": 1000, "input": 2_000_000, "output": 8_000_000, "cache_read": None}],
    }
    facts = Facts().sweep().model("alpha", price=price)
    facts.trial(facts.cell(SINGLE, 2000, depth=0), 1.0, tokens=tokens)
    (row,) = view(facts, "select cached_saving from spend")
    assert row["cached_saving"] == pytest.approx(saved * 1e-6)


def test_overall_is_there_for_both_ways_of_asking():
    facts = Facts().sweep()
    for temperature, accuracy in ((0, 1.0), (1, 0.5)):
        for task in ("threading", "multi_needle"):
            own = {"nt.order": "x", **({"nt.own": 1} if task == "threading" else {})}
            params = {"temperature": temperature, "max_tokens": 104}
            cell = facts.cell(f"needle_threading.{task}", 2000, params=params, switches=own)
            facts.trial(cell, accuracy)
    rows = view(facts, "select setup, accuracy, n_tasks from overall_accuracy order by accuracy")
    assert [(row["accuracy"], row["n_tasks"]) for row in rows] == [(0.5, 2), (1.0, 2)]
    assert len({row["setup"] for row in rows} - {""}) == 2


def test_a_task_asked_in_one_way_stands_with_those_asked_in_two():
    facts = Facts().sweep()
    for task, temperatures in (("threading", (0, 1)), ("multi_needle", (0,))):
        for temperature in temperatures:
            params = {"temperature": temperature}
            facts.trial(facts.cell(f"needle_threading.{task}", 2000, params=params), 1.0)
    rows = view(facts, "select accuracy, n_tasks from overall_accuracy order by n_tasks")
    assert [(row["accuracy"], row["n_tasks"]) for row in rows] == [(None, 1), (1.0, 2)]


def test_the_correlation_of_means_over_models_and_none_for_a_constant():
    facts = Facts().sweep()
    curves = {
        "alpha": {250: (0.2, 0.9), 500: (0.4, 0.7), 1000: (0.6, 0.6)},
        "beta": {250: (0.1, 0.5), 500: (0.1, 0.6), 1000: (0.1, 0.2)},
    }
    for model, sizes in curves.items():
        for size, (word, reasoning) in sizes.items():
            facts.trial(facts.cell("flenqa.next_word", size, unit="tokens", model=model), word)
            cell = facts.cell("flenqa.pir", size, unit="tokens", model=model, cot=False)
            facts.trial(cell, reasoning)
    rows = view(facts, "select distinct model, pearson_r, pearson_r_all from next_word")
    means = np.array([[curves[m][size] for size in (250, 500, 1000)] for m in curves]).mean(axis=0)
    found = {row["model"]: row["pearson_r"] for row in rows}
    assert found["alpha"] == pytest.approx(np.corrcoef([0.2, 0.4, 0.6], [0.9, 0.7, 0.6])[0, 1])
    assert found["beta"] is None
    assert rows[0]["pearson_r_all"] == pytest.approx(np.corrcoef(means.T)[0, 1])


def test_standing_errors_are_what_asking_again_could_mend():
    facts = Facts().sweep("old", repeats=len(Outcome))
    cell = facts.cell(SINGLE, 2000, depth=0)
    gone = facts.cell(SINGLE, 4000, depth=0)
    for outcome in sorted(Outcome):
        value = 1.0 if outcome in SCORED else None
        final = outcome not in (Outcome.CANCELLED, Outcome.PENDING)
        facts.trial(cell, value, outcome=f"{outcome}:because", final=final)
    facts.trial(gone, outcome="transient")
    facts.sweep("new", repeats=len(Outcome) - 1, at=1)
    facts.cell(SINGLE, 2000, depth=0)
    found = {row["outcome"]: row["n"] for row in view(facts, "select * from standing_errors")}
    # The last one in the order of names is not planned any more.
    assert found == {str(outcome): 1 for outcome in sorted(ERRORS)}


def test_an_answer_without_a_score_stands_out():
    facts = Facts().sweep(repeats=1)
    facts.trial(facts.cell(SINGLE, 2000, depth=0), outcome="answered")
    (row,) = view(facts, "select outcome, n from standing_errors")
    assert row == {"outcome": "unscored", "n": 1}
