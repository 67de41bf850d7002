from dataclasses import replace

import pytest

from runner.plan.fit import cell_tokens, may_fit
from tests.fakes.plans import plan_of, sweep_text


def cell_of(task: str, model: str = "context_window = 4000"):
    tasks = f"[[tasks]]\n{task}"
    _, plan = plan_of(sweep_text(model=f"price = 0\n{model}", tasks=tasks))
    return next(iter(plan.cells))


def test_characters_of_uuids_are_a_part_of_a_token_each():
    cell = cell_of('name = "needle_threading.single_needle"\nsize = [2000]\ndepth = [50]')
    assert 0.2 * 2000 < cell_tokens(cell).low < 2000


def test_tokens_of_one_tokenizer_may_be_fewer_under_another():
    cell = cell_of('name = "niah.magic_number"\nsize = [1000]\ndepth = [50]')
    assert cell_tokens(cell).low == pytest.approx(800)


def test_a_size_that_is_no_number_says_nothing():
    cell = cell_of('name = "niah.magic_number"\nsize = [1000]\ndepth = [50]')
    named = replace(cell, point=replace(cell.point, axes={"size": "released"}))
    assert cell_tokens(named).low == 0


def test_each_needle_of_a_chain_is_more_than_a_token():
    cell = cell_of('name = "needlechain.forward"\nk = [5]')
    assert cell_tokens(cell).low > 5
    assert may_fit(cell.model, cell_tokens(cell))


@pytest.mark.parametrize(("window", "fits"), [(500, False), (1000, True)])
def test_a_prompt_in_tokens_fits_a_window_that_is_as_large(window: int, fits: bool):
    task = 'name = "niah.magic_number"\nsize = [1000]\ndepth = [50]'
    tasks = f"[[tasks]]\n{task}\n" + '[[tasks]]\nname = "needlechain.forward"\nk = [5]\n'
    _, plan = plan_of(sweep_text(model=f"price = 0\ncontext_window = {window}", tasks=tasks))
    cell = next(cell for cell in plan.cells if cell.task.name == "niah.magic_number")
    assert may_fit(cell.model, cell_tokens(cell)) is fits
