"""The provider's own bill is the judge: never over budget, and to the last pico-dollar."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from runner.engine.engine import Engine
from runner.simulator.core import Simulator
from runner.simulator.spec.settings import (
    ModelSettings,
    PriceSettings,
    SimulatorSettings,
    TierSettings,
)
from runner.wire import Deadlines, Provider, Request, Result
from state.records import AttemptRow, StartRow
from tests.fakes.simulated_sweeps import Simulated, one_model, simulate

PRICES = PriceSettings(input=Decimal(1), output=Decimal(2))
EVERYTHING = {
    "503": 0.05,
    "reset": 0.05,
    "cut length": 0.03,
    "no usage": 0.05,
    "empty": 0.03,
    "429": 0.05,
    "stall": 0.01,
    "bad json": 0.03,
}


def model(**more: Any) -> SimulatorSettings:
    given = {"reply": "OK", "price": PRICES, "latency": {"first_token_s": 1.0, "sigma": 0.5}}
    return SimulatorSettings(default_model=ModelSettings.model_validate({**given, **more}))


def billed(done: Simulated) -> int:
    return done.simulator.log.bill().cost_pusd


def recorded(done: Simulated) -> int:
    return sum(row.cost_pusd or 0 for row in done.run.store.of(AttemptRow))


def watch_budget(seen: list[bool]) -> Any:
    """Looks at the ledger and at the bill twice a second, all through the sweep."""

    def before(engine: Engine, simulator: Simulator) -> None:
        loop = asyncio.get_running_loop()

        def look() -> None:
            ledger = engine._context.ledger.statistics()
            assert ledger.budget is not None
            whole = ledger.committed + ledger.held <= ledger.budget
            seen.append(whole and simulator.log.bill().cost_pusd <= ledger.budget)
            if engine._state == "running":
                loop.call_later(0.5, look)

        loop.call_later(0.1, look)

    return before


@pytest.mark.parametrize("budget", ["0.02usd", "0.1usd"])
def test_the_budget_holds_at_every_instant_whatever_happens(budget: str):
    config = one_model("limits = { concurrency = 500 }", repeats=300, budget=budget)
    seen: list[bool] = []
    done = simulate(config, model(faults=EVERYTHING), before=watch_budget(seen))
    assert done.end.exit_code == 3
    assert len(seen) > 3
    assert all(seen)
    assert billed(done) <= float(budget.removesuffix("usd")) * 1e12


def test_what_is_recorded_is_what_was_billed_where_usage_is_known():
    config = one_model("limits = { concurrency = 50 }", repeats=150)
    done = simulate(config, model(faults={"503": 0.1, "429": 0.1, "empty": 0.1}))
    assert done.end.exit_code == 0
    assert recorded(done) == billed(done)


def test_after_any_number_of_stops_the_budget_still_holds():
    """Each run is cancelled in the middle; holds of cancelled calls stay."""
    config = one_model("limits = { concurrency = 100 }", repeats=400, budget="0.1usd")
    total, store = 0, None
    for _ in range(5):

        def before(engine: Engine, simulator: Simulator) -> None:
            asyncio.get_running_loop().call_later(1.3, engine.cancel)

        done = simulate(config, model(), store=store, before=before)
        store = done.run.store
        total += billed(done)
        assert total <= store.committed_pusd("test") <= 10**11
    cancelled = [row for row in store.of(AttemptRow) if row.outcome == "cancelled"] if store else []
    assert cancelled
    assert all(row.maybe_billed for row in cancelled)


TIERED = (
    "price = { input = 1.25, output = 10.0, cache_read = 0.625, "
    "tiers = [{ above = 700, input = 2.5, output = 15.0, cache_read = 1.25 }] }"
)


def test_a_tier_jump_is_inside_the_reservation():
    """Prompts on both sides of the bound; each request at its own tier's price."""
    tier = TierSettings(above=700, input=Decimal("2.5"), output=Decimal(15))
    price = PriceSettings(input=Decimal("1.25"), output=Decimal(10), tiers=(tier,))
    config = one_model(
        f"{TIERED}\nlimits = {{ concurrency = 20 }}",
        repeats=20,
        size="[1000, 1200]",
        budget="0.2usd",
    )
    done = simulate(config, model(price=price))
    assert done.end.exit_code == 0
    assert recorded(done) == billed(done)
    holds = {row.attempt_id: row.reserved_pusd for row in done.run.store.of(StartRow)}
    paid = done.run.store.of(AttemptRow)
    assert all((holds[row.attempt_id] or 0) >= (row.cost_pusd or 0) for row in paid)
    assert {e.tally.total_input > 700 for e in done.log} == {True, False}


def test_a_bill_above_its_worst_case_is_recorded_and_makes_later_holds_larger():
    config = one_model("limits = { concurrency = 1 }", repeats=4, budget="1usd")
    done = simulate(config, model(script=["wrong usage form=high"]))
    attempts, starts = done.run.store.of(AttemptRow), done.run.store.of(StartRow)
    assert (attempts[0].cost_pusd or 0) > (starts[0].reserved_pusd or 0)
    assert done.run.store.committed_pusd("test") == recorded(done)
    # The second was held before the first bill came.
    assert (starts[-1].reserved_pusd or 0) >= (attempts[0].cost_pusd or 0)


def test_a_retry_that_finds_no_money_leaves_its_trial_pending_and_says_budget():
    """One call whose bill stays unknown uses up the only hold there is room for."""
    config = one_model("limits = { concurrency = 1 }", repeats=1, budget="0.002usd")
    done = simulate(config, model(script=["reset"]))
    assert (done.end.exit_code, done.end.pending) == (3, 1)
    assert done.end.view.lanes[0].ended == "budget"


class Hiding:
    """A provider that puts a prompt of its own before each of ours, and bills it."""

    def __init__(self, inner: Provider, tokens: int) -> None:
        self._inner = inner
        self._tokens = tokens

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        result = await self._inner.complete(request, deadlines)
        if result.usage is None:
            return result
        read = (result.usage.input_tokens or 0) + self._tokens
        return replace(result, usage=replace(result.usage, input_tokens=read))

    async def aclose(self) -> None:
        await self._inner.aclose()


def test_bills_above_their_holds_make_later_holds_larger_once():
    """Calls in flight overrun together; were each to count, the next hold were 10^40 dollars."""
    config = one_model("limits = { concurrency = 64 }", repeats=300, budget="5usd")
    done = simulate(config, model(), wrap=lambda inner: Hiding(inner, 3000))
    assert (done.end.exit_code, done.end.pending) == (0, 0)
    paid = {row.attempt_id: row.cost_pusd or 0 for row in done.run.store.of(AttemptRow)}
    held = [(row.reserved_pusd or 0, paid[row.attempt_id]) for row in done.run.store.of(StartRow)]
    exceeded = [cost / hold for hold, cost in held if cost > hold]
    assert len(exceeded) > 1
    largest = max(exceeded)
    assert all(hold <= 2 * largest * cost for hold, cost in held)
    assert all(cost <= hold for hold, cost in held[128:])
