"""Laws over all views: whatever a file holds, no view shows what cannot be.

The worlds are partial, interrupted, unbalanced and odd: errors, answers that nobody judged,
repeated attempts, unknown bills, one size or one repeat, two sweeps, two seeds, cells that a later
sweep dropped, several ways to ask, identical prompts, simulated models beside real ones.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.catalog import shipped, views
from queries.together import rows_together
from tasks.identity import trial_seed
from tests.sql.facts import Facts

ASKED = (
    *(replace(query, sql=f"from {query.name}") for query in shipped("marts")),
    *(replace(query, name=f"figure_{query.name}") for query in shipped("figures")),
)
EVERYTHING = rows_together([replace(query, name=f"asked_{query.name}") for query in ASKED], views())
BOUNDS = {
    # interval, estimate, and where it must lie
    "cell_accuracy": ("ci_low", "accuracy", "ci_high", 0, 1),
    "accuracy_by_size": ("ci_low", "accuracy", "ci_high", 0, 1),
    "cmp_models": ("ci_low", "difference", "ci_high", -1, 1),
    "false_bias": ("bias_low", "bias", "bias_high", -2, 2),
}
SHARES = {
    "accuracy", "accuracy_strict", "chance", "share", "share_done", "rate", "p_false", "coverage",
    "failure_rate", "ratio", "missing", "next_word", "reasoning", "p_mcnemar", "p_greater",
    "p_two_sided", "p_needle_omission", "p_calculation_error", "p_instruction_not_followed",
}  # fmt: skip
MAY_BE_INFINITE = {"odds_ratio"}
"""As scipy says it, where the other diagonal has a zero; the smoothed ratio stands beside it."""
TASKS: Sequence[tuple[str, str, dict[str, Sequence[Any]], Sequence[str]]] = (
    ("needle_threading.single_needle", "chars", {"depth": (0, 50, 100)}, ("correct", "wrong")),
    ("needle_threading.multi_needle", "chars",
     {"needles": (5, 10, 15), "placement": ("random", "clustered")}, ("correct", "wrong")),
    ("needle_threading.threading", "chars",
     {"thread_length": (2, 5), "direction": ("forward", "backward")}, ("correct", "wrong")),
    ("flenqa.pir", "tokens", {"cot": (False, True), "padding": ("similar", "books")},
     ("true", "false", "other/refused")),
    ("flenqa.monorel", "tokens", {"cot": (False, True)}, ("true", "false", "cut_off")),
    ("flenqa.next_word", "tokens", {}, ("correct", "wrong")),
    ("niah.magic_number", "tokens", {"depth": (0, 100)}, ("correct", "unanswerable", "wrong")),
    ("niah.negative", "tokens", {"depth": (0, 100)}, ("unanswerable", "not_parsable")),
    ("needlechain.forward", "needles", {"k": (5, 20), "question": ("single", "total")},
     ("correct", "needle_omission", "calculation_error", "instruction_not_followed")),
)  # fmt: skip
OUTCOMES = ("refused", "blocked_output:recitation", "truncated_reasoning", "empty", "over_context",
            "server_error", "timeout")  # fmt: skip


class World:
    """Draws a file, and keeps what is true of it beside."""

    def __init__(self, seed: int, *, real: bool = True, simulated: bool = True) -> None:
        self.rng = Random(seed)
        self.facts = Facts()
        self.judged: Counter[str] = Counter()
        self.total: defaultdict[str, float] = defaultdict(float)
        self.paid = 0
        self.seen: set[tuple[str, int, int]] = set()
        self.wanted = {False: real, True: simulated}
        self.repeats = self.rng.choice((1, 1, 2, 4))
        self.sizes = (1000, 4000, 16000)[: self.rng.choice((1, 2, 3))]
        self.tasks = self.rng.sample(TASKS, self.rng.randint(1, len(TASKS)))
        self.switches = self.rng.choice(
            ({}, {"report.interval": "wilson"}, {"needlechain.rows": "first100"},
             {"flenqa.dedup": False}, {"nt.ci_n": "answers"})
        )  # fmt: skip
        for is_simulated in (False, True)[: self.rng.choice((1, 2, 2))]:
            self._models(Random(self.rng.random()), simulated=is_simulated)

    def _models(self, rng: Random, *, simulated: bool) -> None:
        kept = self.wanted[simulated]
        written = self.facts
        self.facts, self.seen = Facts(simulated=simulated), set()
        truth = (self.judged.copy(), self.total.copy(), self.paid)
        self.rng, before = rng, self.rng
        for sweep in range(rng.choice((1, 2))):
            seed = rng.choice((0, 0, 1)) if sweep else 0
            name = f"{simulated}-{rng.choice(('first', 'second'))}"
            self.facts.sweep(
                f"s{simulated}{sweep}", name=name, seed=seed, repeats=self.repeats, at=sweep,
                switches=self.switches,
            )  # fmt: skip
            for model in ("alpha", "beta", "gamma")[: rng.choice((1, 2, 3))]:
                self.facts.model(model, window=rng.choice((None, 8000, 128_000)))
                for task in self.tasks:
                    self._task(sweep, seed, model, task)
        if kept:
            for row_type, rows in self.facts.rows.items():
                written.rows.setdefault(row_type, []).extend(rows)
        else:
            self.judged, self.total, self.paid = truth
        self.facts, self.rng = written, before

    def _task(self, sweep: int, seed: int, model: str, task: Any) -> None:
        name, unit, axes, labels = task
        params = self.rng.choice(({"temperature": 0}, {"temperature": 0}, {"temperature": 1}))
        for size in self.sizes:
            for _ in range(self.rng.choice((1, 2))):
                point = {axis: self.rng.choice(values) for axis, values in axes.items()}
                cell = self.facts.cell(
                    name, size, model=model, unit=unit, params=params,
                    base_url="http://sim" if self.facts.simulated else "", **point,
                )  # fmt: skip
                for repeat in range(self.repeats):
                    self._trial(f"{name}{size}", cell, name, (sweep, seed, repeat), labels, size)

    def _trial(
        self,
        place: str,
        cell: str,
        task: str,
        which: tuple[int, int, int],
        labels: Sequence[str],
        size: int,
    ) -> None:
        _, seed, repeat = which
        key = (cell, seed, repeat)
        if self.rng.random() < 0.2 or key in self.seen:
            return
        self.seen.add(key)
        fate = self.rng.random()
        outcome = self.rng.choice(OUTCOMES) if fate < 0.2 else "answered"
        if fate > 0.9:
            outcome = "truncated"
        final = self.rng.random() < 0.9
        label = self.rng.choice(labels)
        value = float(label == labels[0])
        if labels[0] == "true":
            value = self.rng.choice((0.0, 1.0))
        is_judged = outcome in {"answered", "truncated"} and self.rng.random() < 0.95
        cost = self.rng.choice((None, 0, 10**6, 10**9))
        trial = self.facts.trial(
            cell,
            value if is_judged else None,
            outcome=outcome,
            final=final,
            label=label,
            detail={
                "early": self.rng.random() < 0.5, "covered": self.rng.choice((0, 1, 2)),
                "n_key": 2, "mentioned_reasoning": [1, 0, 1], "mentioned_presented": [0, 1, 1],
            },
            repeat=repeat,
            seed=trial_seed(seed, repeat),
            prompt="same" if self.rng.random() < 0.1 else f"{place}{cell}{seed}{repeat}",
            chars=size * self.rng.choice((4, 5)),
            cost=cost,
            maybe_billed=cost is None,
        )  # fmt: skip
        self.paid += cost or 0
        counts = final
        if not final and self.rng.random() < 0.5:
            counts = True
            self.facts.attempt(trial, n=2, outcome=outcome, cost=7)
            self.paid += 7
        if is_judged and counts:
            self.judged[task] += 1
            self.total[task] += value


def told_by(facts: Facts) -> dict[str, list[dict[str, Any]]]:
    """The rows of every mart and every figure, asked for in one statement, since it is faster."""
    with facts.connect() as connection:
        (found,) = connection.execute(EVERYTHING).fetchall()
    return dict(zip((query.name for query in ASKED), found, strict=True))


def check_numbers(name: str, row: dict[str, Any]) -> None:
    for column, value in row.items():
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        assert not math.isnan(value), (name, column, row)
        assert math.isfinite(value) or column in MAY_BE_INFINITE, (name, column, row)
        if column == "n" or column.startswith("n_"):
            assert value >= 0, (name, column, row)
            assert value == int(value) or column == "n_effective", (name, column, row)
        if column in SHARES:
            assert -1e-12 <= value <= 1 + 1e-12, (name, column, row)


def check_interval(name: str, row: dict[str, Any]) -> None:
    low_name, estimate_name, high_name, least, most = BOUNDS[name]
    low, estimate, high = row[low_name], row[estimate_name], row[high_name]
    if estimate is None:
        assert low is None
        assert high is None
        return
    assert least - 1e-12 <= low <= estimate + 1e-12, (name, row)
    assert estimate - 1e-12 <= high <= most + 1e-12, (name, row)
    assert high - low > 1e-6, (name, row)


def check_counts(world: World, told: dict[str, list[dict[str, Any]]]) -> None:
    """The same trials are counted in every view, and they are those of the file."""
    for name in ("cell_accuracy", "accuracy_by_size"):
        found: Counter[str] = Counter()
        right: defaultdict[str, float] = defaultdict(float)
        for row in told[name]:
            assert row["n_answered"] + row["n_not_evaluated"] == row["n_planned"], (name, row)
            found[row["task"]] += row["n_answered"]
            right[row["task"]] += (row["accuracy"] or 0) * row["n_answered"]
        assert +found == +world.judged, name
        assert right == pytest.approx({task: world.total[task] for task in right}), name
    planned = {
        name: sum(row["n_planned"] for row in told[name])
        for name in ("cell_accuracy", "accuracy_by_size")
    }
    planned["outcomes"] = sum(row["n"] for row in told["outcomes"])
    assert len(set(planned.values())) == 1, planned
    missing = {
        name: Counter[str]()
        for name in ("accuracy_by_size", "false_bias", "niah_scores", "needlechain_errors")
    }
    for name, counter in missing.items():
        for row in told[name]:
            counter[row["task"]] += row["n_not_evaluated"]
            if name != "accuracy_by_size":
                counter[f"{row['task']} n"] += row["n"]
            else:
                counter[f"{row['task']} n"] += row["n_answered"]
    for name, counter in missing.items():
        for key, count in counter.items():
            assert missing["accuracy_by_size"][key] == count, (name, key)


def check_claims(told: dict[str, list[dict[str, Any]]]) -> None:
    """Nothing is said that only a complete design could show."""
    for row in told["overall_accuracy"]:
        assert row["n_tasks"] <= row["n_tasks_swept"], row
        assert (row["accuracy"] is not None) == (row["n_tasks"] == row["n_tasks_swept"]), row
    for row in told["effective_context"]:
        assert row["bound_low"] >= 0
        if row["effective_chars"] is None:
            assert row["share"] is None, row
            assert row["effective"].startswith(("<", ">=")) or ".." in row["effective"], row
        if row["never_below"] and row["limit_chars"] is None:
            assert row["bound_high"] is None, row
        if row["bound_high"] is not None:
            assert row["bound_low"] <= row["bound_high"], row
    for row in told["progress"]:
        assert row["n_done"] + row["n_pending"] == row["n_planned"], row
        assert row["n_answered"] + row["n_not_evaluated"] == row["n_planned"], row
    for row in told["next_word"]:
        if row["pearson_r"] is not None:
            assert row["n_sizes"] >= 2, row


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**9))
def test_no_view_shows_what_cannot_be(seed: int) -> None:
    world = World(seed)
    told = told_by(world.facts)
    for name, found in told.items():
        for row in found:
            check_numbers(name, row)
    for name in BOUNDS:
        for row in told[name]:
            check_interval(name, row)
    check_counts(world, told)
    check_claims(told)
    assert sum(row["settled"] or 0 for row in told["spend"]) * 1e12 == pytest.approx(world.paid)
    cells = sum(row["cost_usd"] or 0 for row in told["cell_accuracy"])
    assert cells * 1e12 == pytest.approx(world.paid)


def texts(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as text; numbers to nine digits, since sums have no order."""
    return sorted(
        repr({k: f"{v:.9g}" if isinstance(v, float) else v for k, v in row.items()}) for row in rows
    )


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**9))
def test_real_and_simulated_answers_say_the_same_apart_and_in_one_file(seed: int) -> None:
    real, simulated, both = (
        told_by(World(seed, real=real, simulated=simulated).facts)
        for real, simulated in ((True, False), (False, True), (True, True))
    )
    for query in shipped("marts"):
        apart = [*real[query.name], *simulated[query.name]]
        assert texts(apart) == texts(both[query.name]), query.name
