from pathlib import Path
from typing import Any

import pytest

from runner.errors import UsageError
from runner.forecast.build import make_forecast
from runner.forecast.forecast import Forecast, History
from runner.forecast.measure import key_of, measure
from runner.forecast.printed import text_of, to_json
from runner.models.counting import estimator_for
from runner.models.thinking import ROOM
from tests.fakes.plans import plan_of, sweep_text

PRICE = "price = { input = 2.0, output = 10.0 }\n"


def forecast(text: str, history: History | None = None, **more: Any) -> Forecast:
    config, plan = plan_of(text)
    return make_forecast(config, plan, history or History(), **more)


def kinds(made: Forecast) -> set[tuple[str, float]]:
    return {(note.kind, note.size) for model in made.models for note in model.notes}


def test_an_exact_vocabulary_gives_the_true_bill():
    config, plan = plan_of(sweep_text(model=PRICE + 'tokenizer = "o200k_base"'))
    total = make_forecast(config, plan, History()).total
    estimator = estimator_for(plan.models[0].model)
    every = [
        estimator.estimate(trial.cell.task.generate(trial.cell.point.axes, trial.seed))
        for trial in plan.models[0].trials({})
    ]
    assert total.planned == total.to_send == len(every) == 12
    assert total.input_tokens.expected == pytest.approx(sum(e.expected for e in every), rel=0.01)
    assert total.usd is not None
    in_usd = 2e-6 * total.input_tokens.expected
    assert total.usd.expected == pytest.approx(in_usd + 1e-5 * total.output_tokens.expected)
    assert total.output_tokens.worst == 12 * 104


def test_low_expected_and_worst_stand_in_order():
    for line in forecast(sweep_text(model=PRICE)).models[0].tasks:
        for amount in (line.input_tokens, line.output_tokens, line.usd):
            assert amount is not None
            assert 0 < amount.low < amount.expected < amount.worst


def test_caching_lowers_only_the_least():
    plain = forecast(sweep_text(model=PRICE)).total.usd
    cached = forecast(
        sweep_text(model="price = { input = 2.0, output = 10.0, cache_read = 0.2 }")
    ).total.usd
    assert plain is not None
    assert cached is not None
    assert cached.low < plain.low
    assert cached.expected == plain.expected


def test_what_is_done_is_not_sent_again():
    text = sweep_text(model=PRICE)
    _, plan = plan_of(text)
    cell = plan.models[0].cells[0]
    made = forecast(text, History(exists=True, done={cell.cell_id: frozenset({0, 7})}))
    assert (made.total.done, made.total.to_send) == (1, 11)


def test_a_small_window_a_small_tier_are_told():
    made = forecast(sweep_text(model=PRICE + "context_window = 3000\nlimits = { itpm = 1000 }"))
    assert kinds(made) == {("over the window", 8000), ("larger than the tier", 2000)}
    assert made.total.over_window == 6
    assert made.total.to_send == 6


def test_a_model_that_thinks_has_room_for_it_in_the_worst_case():
    """Where the config has no cap; a cap of its own that is too small is refused."""
    price = "price = { input = 0.0, output = 1.0 }"
    plain = forecast(sweep_text(model=price)).total.usd
    thinking = forecast(sweep_text(id="openai/o3", model=price)).total.usd
    assert plain is not None
    assert thinking is not None
    assert thinking.worst - plain.worst == pytest.approx(12 * ROOM / 1e6)
    with pytest.raises(UsageError, match=r"max_tokens: the output cap is 500 tokens"):
        forecast(sweep_text(id="openai/o3", model="params = { max_tokens = 500 }"))


def test_an_unknown_price_says_what_to_add():
    made = forecast(sweep_text(sweep='budget = "5usd"'))
    assert made.total.usd is None
    assert "price = { input = USD, output = USD }" in (made.models[0].missing or "")
    assert "no price" in text_of(made)
    assert to_json(made)["budget"]["share_reached"] is None


def test_the_budget_says_how_far_it_goes():
    made = forecast(sweep_text(model=PRICE, sweep='repeats = 50\nbudget = "0.5usd"'))
    assert made.reach is not None
    usd = made.total.usd
    assert usd is not None
    assert made.reach.share == pytest.approx(0.5 / usd.expected)
    said = text_of(made)
    assert "seeded, interleaved order" in said
    assert "bound by" in said


def test_infeasible_points_are_counted():
    tasks = """
[[tasks]]
name = "needle_threading.threading"
size = [80, 2000]
thread_length = 5
direction = "forward"
"""
    made = forecast(sweep_text(tasks=tasks))
    assert sum(made.skipped.values()) == 1
    assert "skipped: 1 infeasible" in text_of(made)


def test_sizes_too_long_to_sample_are_extrapolated():
    tasks = """
[[tasks]]
name = "needle_threading.single_needle"
size = [100000, 1000000, 2000000, 4000000]
depth = 50
"""
    text = sweep_text(tasks=tasks, model='tokenizer = "o200k_base"')
    config, plan = plan_of(text)
    measured = measure(plan)
    cells = plan.models[0].cells
    assert key_of(cells[-1]) not in measured.samples
    made = make_forecast(config, plan, History()).models[0]
    exact = sum(
        estimator_for(plan.models[0].model)
        .estimate(cell.task.generate(cell.point.axes, 0))
        .expected
        for cell in cells
    )
    assert made.total.input_tokens.expected == pytest.approx(2 * exact, rel=0.01)


def test_the_stated_sampling_error_is_honest():
    tasks = """
[[tasks]]
name = "needle_threading.multi_needle"
size = [2000, 4000]
needles = [1, 2, 5, 10, 15, 20, 25]
placement = ["random", "clustered"]
"""
    config, plan = plan_of(sweep_text(tasks=tasks, model='tokenizer = "o200k_base"'))
    made = make_forecast(config, plan, History())
    estimator = estimator_for(plan.models[0].model)
    exact = sum(
        estimator.estimate(trial.cell.task.generate(trial.cell.point.axes, trial.seed)).expected
        for trial in plan.models[0].trials({})
    )
    off = abs(made.total.input_tokens.expected / exact - 1)
    assert 0 < made.sampling.error < 0.2
    assert off < 3 * made.sampling.error


def test_all_models_share_the_prompts():
    one = sweep_text()
    other = one.replace(
        "[[tasks]]", '[[models]]\nid = "compat/b"\nbase_url = "http://127.0.0.1:9/v1"\n[[tasks]]', 1
    )
    assert measure(plan_of(other)[1]).n_prompts == measure(plan_of(one)[1]).n_prompts


def test_the_document_holds_what_the_table_shows(tmp_path: Path):
    made = forecast(sweep_text(model=PRICE, sweep='budget = "5usd"'), db=tmp_path / "a.duckdb")
    document = to_json(made)
    assert document["total"]["trials"] == made.total.planned
    assert document["models"][0]["binding_limit"] == "slots x latency"
    assert document["models"][0]["tasks"][0]["usd"]["expected"] > 0
    assert document["file"] is None


def test_models_that_share_limits_take_as_long_as_all_of_them():
    limits = 'limits = { rpm = 1, group = "g" }\n'
    one = sweep_text(model=PRICE + limits)
    both = one.replace(
        "[[tasks]]",
        '[[models]]\nid = "compat/b"\nbase_url = "http://127.0.0.1:9/v1"\n' + limits + "[[tasks]]",
        1,
    )
    alone, together = forecast(one).models[0].wall.seconds, forecast(both).models[1].wall.seconds
    assert together == pytest.approx(2 * alone, rel=0.1)
