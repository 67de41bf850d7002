"""The published NeedleChain files, solved and summed: spec section 4.7."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks.needlechain import solver
from tasks.official import needlechain_rows
from tasks.tokens import exact_counter

ROWS = {"k5": 200, "k10": 200}
SUMS = {
    "k5": (595400.0, 2265800.0, 733600.0, 3779400.0),
    "k10": (1272218.75, 6914668.75, 698800.0, 7128600.0),
}
STEPS = {"k5": (270, 267, 263), "k10": (596, 612, 592)}
MEAN_CHARS = {"k5": 183.71, "k10": 373.04}


def golden(split: str) -> list[dict[str, Any]]:
    repo = Path(__file__).resolve().parents[4]
    path = repo.parent / "shared" / "golden" / "needlechain" / f"{split}.jsonl"
    if not path.is_file():
        pytest.skip(f"the published file {path.name} is not beside the repository")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("split", ROWS)
def test_solver_reproduces_every_stored_value(split: str):
    rows = golden(split)
    assert len(rows) == ROWS[split]
    for row in rows:
        for chain in ("forward", "backward", "chaotic", "parallel"):
            salaries = solver.solve(row[f"{chain}_chain"].split("\n"))
            assert salaries[row[f"{chain}_lastname"]] == row[f"{chain}_single_val"]
            assert sum(salaries.values()) == row[f"{chain}_total_val"]


@pytest.mark.parametrize("split", ROWS)
def test_orders_and_names(split: str):
    for row in golden(split):
        names = row["names"].split(", ")
        forward = row["forward_chain"].split("\n")
        assert {row[f"{chain}_lastname"] for chain in ("forward", "parallel")} == {names[-1]}
        assert list(solver.solve(forward)) == names
        assert row["backward_chain"].split("\n") == forward[::-1]
        assert sorted(row["chaotic_chain"].split("\n")) == sorted(forward)
        assert forward[0] == f"{names[0]} received $1600 last week."


@pytest.mark.parametrize("split", ROWS)
def test_sums_steps_and_lengths(split: str):
    rows = golden(split)
    keys = ("forward_single", "forward_total", "parallel_single", "parallel_total")
    assert tuple(sum(row[f"{key}_val"] for row in rows) for key in keys) == SUMS[split]
    words = Counter(
        line.split()[2] for row in rows for line in row["forward_chain"].split("\n")[1:]
    )
    assert (words["twice"], words["the"], words["half"]) == STEPS[split]
    assert sum(len(row["forward_chain"]) for row in rows) / 200 == pytest.approx(MEAN_CHARS[split])


def test_first_row():
    row = golden("k5")[0]
    assert row["names"] == "Cairo, Ramon, Nala, Kase, Ryker"
    assert (row["forward_single_val"], row["forward_total_val"]) == (6400.0, 17600.0)
    assert (row["parallel_single_val"], row["parallel_total_val"]) == (400.0, 20400.0)


@pytest.mark.parametrize(
    ("split", "stored_bytes", "tokens"), [("k5", 178184, 47.92), ("k10", 333938, 95.95)]
)
def test_published_bytes_and_tokens(split: str, stored_bytes: int, tokens: float):
    rows = golden(split)
    texts = [value for row in rows for value in row.values() if isinstance(value, str)]
    assert sum(len(text.encode()) for text in texts) + 108 * len(rows) == stored_bytes
    counter = exact_counter("o200k_base")
    counts = [counter.count(row["forward_chain"]) for row in rows]
    assert sum(counts) / len(counts) == pytest.approx(tokens)


@pytest.mark.parametrize(
    ("split", "outside", "fractional", "as_forward"), [("k5", 0, (0, 0), 2), ("k10", 3, (2, 1), 0)]
)
def test_released_rows_that_the_bound_or_whole_numbers_would_lose(
    split: str, outside: int, fractional: tuple[int, int], as_forward: int
):
    rows = golden(split)
    singles = [row["forward_single_val"] for row in rows]
    totals = [row["forward_total_val"] for row in rows]
    assert sum(not 25 <= value <= 102400 for value in singles) == outside
    assert tuple(sum(v != int(v) for v in values) for values in (singles, totals)) == fractional
    assert sum(row["chaotic_chain"] == row["forward_chain"] for row in rows) == as_forward
    for row in rows:
        assert len(needlechain_rows.parse(row, "").entries) == 4
