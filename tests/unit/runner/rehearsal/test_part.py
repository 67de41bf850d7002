"""The part of a plan that is rehearsed, and its share of the whole."""

import pytest

from runner.forecast.build import forecast_from, guessed
from runner.forecast.forecast import History
from runner.forecast.measure import measure
from runner.rehearsal.part import all_but, chosen_part, shares_of
from tests.fakes.plans import plan_of, sweep_text

PRICE = "price = { input = 2.0, output = 10.0 }\n"


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_the_part_and_the_rest_are_the_whole(share: float):
    config, plan = plan_of(sweep_text(model=PRICE + "limits = { rpm = 2 }", sweep="repeats = 30"))
    part = chosen_part(plan, share)
    measured = measure(plan)
    whole = forecast_from(measured, config, plan, History(), guessed)
    mine = forecast_from(measured, config, part, all_but(part), guessed)
    assert mine.total.to_send == part.n_trials == round(share * plan.n_trials)
    rest = History(
        done={
            cell.cell_id: frozenset(range(cell.repeats)).difference(
                all_but(part).done[cell.cell_id]
            )
            for cell in plan.cells
        }
    )
    other = forecast_from(measured, config, plan, rest, guessed)
    assert other.total.to_send + mine.total.to_send == whole.total.to_send
    assert mine.total.usd is not None
    assert other.total.usd is not None
    assert whole.total.usd is not None
    both = mine.total.usd.expected + other.total.usd.expected
    assert both == pytest.approx(whole.total.usd.expected)
    assert shares_of(mine, whole).usd == pytest.approx(
        mine.total.usd.expected / whole.total.usd.expected
    )


def test_a_limit_on_days_shrinks_with_the_part_and_says_nothing_about_time():
    text = sweep_text(model=PRICE + "limits = { rpm = 60, rpd = 90 }", sweep="repeats = 30")
    config, plan = plan_of(text)
    part = chosen_part(plan, 0.5)
    assert part.models[0].model.limits.rpd == 45
    measured = measure(plan)
    whole = forecast_from(measured, config, plan, History(), guessed)
    mine = forecast_from(measured, config, part, all_but(part), guessed)
    # 180 and 90 requests, 60 of them at once.
    assert shares_of(mine, whole).seconds == pytest.approx(30 / 120, rel=0.1)
