"""What is said of the papers is true of the tasks, and of what was published."""

import re

import pytest

from runner.papers.published import PAPERS, repeats_of
from runner.papers.tables import SHAPES
from tasks.catalog import TASKS


@pytest.mark.parametrize("name", PAPERS)
def test_every_task_and_axis_that_a_paper_asks_is_there(name: str) -> None:
    paper = PAPERS[name]
    parts = [paper.asked, paper.appendix, *(table.asked for table in paper.tables)]
    for asked in (each for part in parts for each in part):
        axes = {axis.name for axis in TASKS[asked.task].axes}
        assert asked.task.startswith(f"{paper.family}.")
        assert asked.axes.keys() <= axes


@pytest.mark.parametrize("name", PAPERS)
def test_every_table_can_be_made_and_every_known_number_says_where_it_stands(name: str) -> None:
    for table in PAPERS[name].tables:
        assert (name, table.number) in SHAPES
        for number in table.known:
            assert number.source
            assert number.model in PAPERS[name].models


def test_a_model_is_one_of_the_paper_s_only_where_its_name_says_so() -> None:
    paper = PAPERS["needle-threading"]
    assert paper.model("gpt-4o-2024-08-06") == "GPT-4o"
    assert paper.model("gpt-4o-mini-2024-07-18") is None
    assert paper.model("Meta-Llama-3.1-405B-Instruct") == "LLaMA 405b"
    assert PAPERS["flenqa"].model("gpt-3.5-turbo-0125") == "GPT-3.5"


def test_published_repeats_are_known_for_what_the_papers_ask() -> None:
    found = {name: repeats_of(name) for name in TASKS}
    assert {name for name, repeats in found.items() if repeats is None} == {"niah.custom"}
    published = {name: repeats[0] for name, repeats in found.items() if repeats is not None}
    assert published["needle_threading.threading"] == 5
    assert published["flenqa.pir"] == 100
    assert published["needlechain.stack"] == 200


def test_flenqa_s_numbers_pool_to_those_of_its_notebook() -> None:
    known = PAPERS["flenqa"].tables[0].known
    for how, pooled in (("direct", 0.773), ("CoT", 0.873)):
        values = [number.value for number in known if re.search(f", {how}$", number.column)]
        assert sum(values) / len(values) == pytest.approx(pooled, abs=5e-4)


def test_the_stored_run_found_what_its_file_says() -> None:
    known = PAPERS["niah"].tables[0].known
    assert len(known) == 15
    assert round(sum(number.value for number in known) * 15) == 207
