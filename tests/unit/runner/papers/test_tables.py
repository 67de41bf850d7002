"""The papers' tables, against means that are computed here from what was put in."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from runner.papers.published import PAPERS
from runner.papers.shown import grids, records
from runner.papers.tables import SHAPES, Value, columns_of, split_of, values_of
from runner.report.answers import Answers
from runner.terminal.grid import Bold
from tests.sql.facts import Facts

NT_TASKS: Mapping[str, Mapping[str, Any]] = {
    "single_needle": {"depth": 50},
    "multi_needle": {"needles": 10, "placement": "random"},
    "conditional_needle": {"needles": 10, "placement": "random", "character": "*"},
    "threading": {"thread_length": 5, "direction": "forward"},
    "multi_threading": {"thread_length": 5, "threads": 2, "direction": "forward"},
}


def made(name: str, number: int, facts: Facts) -> Sequence[Value]:
    table = PAPERS[name].table(number)
    assert table is not None
    answers = Answers(facts.connect(), split=split_of(name, table))
    return values_of(name, PAPERS[name], table, answers)


def ours(values: Sequence[Value]) -> Mapping[tuple[str, str, str], Value]:
    return {(value.block, value.who, value.column): value for value in values if not value.source}


def threading(without: str = "") -> tuple[Facts, Mapping[tuple[str, int], float]]:
    """Two models at two sizes; the second lacks a task at the longer one."""
    facts = Facts().sweep()
    sums: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for rank, model in enumerate(("gpt-4o", "gamma")):
        for size in (2000, 4000):
            for place, (task, axes) in enumerate(NT_TASKS.items()):
                if (model, size, task) == ("gamma", 4000, without):
                    continue
                cell = facts.cell(f"needle_threading.{task}", size, model=model, **axes)
                values = [float(index > rank + place % 2) for index in range(4)]
                for value in values:
                    facts.trial(cell, value, chars=size)
                sums[model, size].append(sum(values) / len(values))
    return facts, {key: sum(means) / len(means) for key, means in sums.items()}


def test_overall_is_the_mean_of_five_tasks_and_blank_where_one_lacks() -> None:
    facts, expected = threading(without="threading")
    found = ours(made("needle-threading", 1, facts))
    for model, size in (("gpt-4o", 2000), ("gpt-4o", 4000), ("gamma", 2000)):
        assert found["", model, str(size)].value == pytest.approx(expected[model, size])
    assert found["", "gamma", "4000"].value is None


def test_the_best_is_in_bold_and_the_published_row_stands_below_ours() -> None:
    facts, _ = threading()
    table = PAPERS["needle-threading"].tables[0]
    values = made("needle-threading", 1, facts)
    (grid,) = grids("needle-threading", PAPERS["needle-threading"], table, values)
    names = [row[0] for row in grid.rows]
    assert names == ["gamma", "gpt-4o", "published: GPT-4o", "published: Gemini 1.5 Pro"]
    bold = [[isinstance(word, Bold) for word in row[1:-1]] for row in grid.rows]
    assert bold == [[False, False], [True, True], [False, False], [False, False]]
    assert grid.rows[2][1:] == ["", "", ""]  # in the paper, but its number is not known
    assert grid.rows[3][1:] == ["87.7", "", ""]


def test_effective_context_has_a_row_a_model_and_five_columns() -> None:
    facts, _ = threading()
    values = made("needle-threading", 2, facts)
    shape = SHAPES["needle-threading", 2]
    assert columns_of(shape, values) == [
        "single",
        "multiple",
        "conditional",
        "threading",
        "multi-threading",
    ]
    found = ours(values)
    # gpt-4o has 3 of 4 right where a task's place is even, 2 of 4 where it is odd.
    assert found["", "gpt-4o", "single"].said == ">= 4k"
    assert found["", "gpt-4o", "multiple"].said == "< 2k"
    assert found["", "gpt-4o", "multiple"].value is None


def test_flenqa_s_first_table_is_the_shortest_length_alone_direct_and_reasoned() -> None:
    facts = Facts().sweep()
    right = {(250, False): 3, (250, True): 4, (500, False): 0, (500, True): 0}
    for (size, cot), hits in right.items():
        cell = facts.cell(
            "flenqa.pir",
            size,
            unit="tokens",
            model="gpt-3.5-turbo",
            cot=cot,
            padding="similar",
            placement="random",
        )
        for repeat in range(4):
            facts.trial(cell, float(repeat < hits), label="true", chars=1000, kind="prose")
    values = made("flenqa", 1, facts)
    found = ours(values)
    assert found["", "gpt-3.5-turbo", "pir, direct"].value == pytest.approx(0.75)
    assert found["", "gpt-3.5-turbo", "pir, CoT"].value == 1
    assert len(found) == 2
    table = PAPERS["flenqa"].tables[0]
    (grid,) = grids("flenqa", PAPERS["flenqa"], table, values)
    assert grid.rows[0][1] == "-"
    assert grid.rows[1][1:-1] == ["77.0", "81.0", "74.0", "86.0", "88.0", "88.0"]


def chains() -> Facts:
    facts = Facts().sweep()
    for task, hits in (("mixed", 1), ("stack", 3), ("forward", 2)):
        for question, more in (("single", 0), ("total", -1)):
            cell = facts.cell(f"needlechain.{task}", k=5, question=question)
            for index in range(4):
                right = index < hits + more
                facts.trial(
                    cell,
                    float(right),
                    label="correct" if right else "calculation_error",
                    detail={"mentioned_reasoning": [1] * 5, "mentioned_presented": [1] * 5},
                    tokens=(100, 0, 0, 10 * index, 40),
                )
    return facts


def test_needlechain_s_first_table_keeps_questions_apart_and_orders_in_the_paper_s_order() -> None:
    values = made("needlechain", 1, chains())
    table = PAPERS["needlechain"].tables[0]
    single, total = grids("needlechain", PAPERS["needlechain"], table, values)
    assert single.title.endswith("question: single")
    assert total.title.endswith("question: total")
    assert single.header == ["model", "5 stack", "5 forward", "5 mixed", "n"]
    assert [word.partition(" ")[0] for word in single.rows[0][1:-1]] == ["75.0", "50.0", "25.0"]
    assert [word.partition(" ")[0] for word in total.rows[0][1:-1]] == ["50.0", "25.0", "0.0"]
    assert "none of this table's numbers is known" in total.note


def test_needlechain_s_fourth_table_says_the_tokens_beside_the_accuracy() -> None:
    values = made("needlechain", 4, chains())
    found = {(value.block, value.column): value for value in values}
    block = "stack, question: single"
    assert found[block, "5 %"].value == 0.75
    assert found[block, "5 tokens"].value == pytest.approx((0 + 10 + 20 + 30) / 4 + 40)
    assert columns_of(SHAPES["needlechain", 4], values) == ["5 %", "5 tokens"]


def test_niah_s_table_is_the_mean_over_depths_by_length() -> None:
    facts = Facts().sweep()
    for depth, value in ((0, 1.0), (50, 0.0), (100, 1.0)):
        cell = facts.cell("niah.magic_number", 1000, unit="tokens", depth=depth)
        facts.trial(cell, value, chars=4000, kind="prose")
    values = made("niah", 1, facts)
    (value,) = ours(values).values()
    assert value.value == pytest.approx(2 / 3)
    longest = [each for each in values if each.source and each.column == "128000"]
    assert [each.said for each in longest] == ["60.0"]


def test_records_hold_numbers_as_numbers_and_say_which_are_published() -> None:
    facts, expected = threading()
    table = PAPERS["needle-threading"].tables[0]
    rows = records("needle-threading", table, made("needle-threading", 1, facts))
    published = [row for row in rows if row["published"]]
    assert [(row["model"], row["value"]) for row in published] == [("Gemini 1.5 Pro", 0.877)]
    own = {(row["model"], int(row["column"])): row["value"] for row in rows if not row["published"]}
    assert own == pytest.approx(expected)
