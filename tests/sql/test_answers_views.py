"""Given rows, expected rows: refusals, biases, errors, comparisons, money and time."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact, t

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
