"""Estimates against a bill: a hidden vocabulary, a forecast before and after twenty calls."""

from pathlib import Path
from typing import Any, Self

import orjson
import pytest

from runner.commands.sweeps.dry_run import forecast_of
from runner.commands.sweeps.sweep_flags import planned
from runner.config.models import PriceConfig
from runner.config.sweep import SweepConfig, parse
from runner.forecast.printed import text_of
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from state.sharing.reading import open_for_reading
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback

TASKS = """
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 8000, 32000, 64000]
depth = [0, 50, 100]
[[tasks]]
name = "needle_threading.multi_needle"
size = [2000, 8000, 32000]
needles = [2, 10]
placement = "random"
[[tasks]]
name = "niah.magic_number"
size = [1000, 4000, 16000]
depth = [0, 100]
"""


class Heard:
    """A display that remembers what was said, as a program would read it."""

    for_people = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def show(self, view: object) -> None:
        return None

    def say(self, line: str) -> None:
        self.lines.append(line)

    @property
    def forecasts(self) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in self.lines if line.startswith("{")]


def simulated(uuid: float) -> SimulatorSettings:
    model = {"tokenizer": {"uuid": uuid, "prose": 0.21}, "price": {"input": 3, "output": 15}}
    return SimulatorSettings(default_model=ModelSettings.model_validate(model))


def config_of(url: str, folder: Path, *, repeats: int = 3, sweep: str = "") -> SweepConfig:
    return parse(
        f"""
[sweep]
name = "calibrated"
repeats = {repeats}
budget = "100usd"
{sweep}
[[models]]
id = "compat/mystery"
base_url = "{url}"
price = {{ input = 3.0, output = 15.0 }}
limits = {{ concurrency = 16 }}
{TASKS}""",
        folder / "sweep.toml",
    )


def least_and_most(config: SweepConfig, db: Path) -> tuple[float, float]:
    usd = forecast_of(config, planned(config), db).total.usd
    assert usd is not None
    return usd.low, usd.worst


def expected(config: SweepConfig, db: Path) -> float:
    usd = forecast_of(config, planned(config), db).total.usd
    assert usd is not None
    return usd.expected


# 80 characters a pair: 49 tokens under one vocabulary, 75 under another.
@pytest.mark.parametrize("uuid", [0.6135, 0.9375])
async def test_the_bill_is_foreseen(simulator: Start, tmp_path: Path, uuid: float):
    running = await simulator(simulated(uuid))
    config = config_of(running.openai_url, tmp_path)
    db, heard = tmp_path / "a.duckdb", Heard()
    low, worst = least_and_most(config, db)
    assert not db.exists()
    end = await run_sweep(config, planned(config), db, heard, RunOptions(calibrate=20))
    assert end.exit_code == 0
    bill = running.simulator.log.bill().cost_pusd / 1e12
    assert low <= bill <= worst
    (forecast,) = heard.forecasts
    assert forecast["total"]["done"] == 20
    paid = forecast["budget"]["spent_usd"]
    assert paid < bill / 10
    assert paid + forecast["total"]["usd"]["expected"] == pytest.approx(bill, rel=0.03)
    assert (
        paid + forecast["total"]["usd"]["low"] <= bill <= paid + forecast["total"]["usd"]["worst"]
    )


async def test_an_earlier_file_teaches_the_next_sweep(simulator: Start, tmp_path: Path):
    running = await simulator(simulated(0.9375))
    first = tmp_path / "first.duckdb"
    config = config_of(running.openai_url, tmp_path, repeats=1)
    await run_sweep(config, planned(config), first, Heard(), RunOptions())
    before = running.simulator.log.bill().cost_pusd
    second = tmp_path / "second.duckdb"
    later = config_of(
        running.openai_url, tmp_path, repeats=2, sweep='calibrate_from = ["first.duckdb"]'
    )
    foreseen = expected(later, second)
    assert (
        abs(expected(config_of(running.openai_url, tmp_path, repeats=2), second) / foreseen) < 0.9
    )
    await run_sweep(later, planned(later), second, Heard(), RunOptions())
    bill = (running.simulator.log.bill().cost_pusd - before) / 1e12
    assert foreseen == pytest.approx(bill, rel=0.03)
    # The sweep itself began with it: its very first reservations expected what was billed.
    with open_for_reading(second) as reader:
        worst = reader.connection.execute(
            "select max(abs(input_tokens_estimate / input_tokens - 1)) from reservations"
            " join attempts using (attempt_id) where input_tokens > 10000"
        ).fetchall()[0][0]
    assert worst < 0.03


async def test_what_a_provider_s_cache_gave_is_expected_again(simulator: Start, tmp_path: Path):
    model = {
        "price": {"input": 3, "cache_read": 0.3, "output": 15},
        "cache": {"min_tokens": 1024, "ttl_s": 3600},
    }
    settings = SimulatorSettings(default_model=ModelSettings.model_validate(model))
    running = await simulator(settings)

    def config(repeats: int, sweep: str = "") -> SweepConfig:
        made = config_of(running.openai_url, tmp_path, repeats=repeats, sweep=sweep)
        price = PriceConfig(input=3.0, output=15.0, cache_read=0.3)
        models = (made.models[0].model_copy(update={"price": price}),)
        return made.model_copy(update={"models": models})

    first, second = tmp_path / "first.duckdb", tmp_path / "second.duckdb"
    await run_sweep(config(1), planned(config(1)), first, Heard(), RunOptions())
    before = running.simulator.log.bill().cost_pusd
    later = config(3, 'calibrate_from = ["first.duckdb"]')
    told = forecast_of(later, planned(later), second)
    blind = forecast_of(config(3), planned(config(3)), second)
    # The second repeat's haystacks are new to the cache, as the first one's were.
    fresh = later.model_copy(update={"seed": 1})
    await run_sweep(fresh, planned(fresh), second, Heard(), RunOptions())
    bill = (running.simulator.log.bill().cost_pusd - before) / 1e12
    assert told.total.usd is not None
    assert blind.total.usd is not None
    assert told.total.usd.expected == pytest.approx(bill, rel=0.1)
    assert blind.total.usd.expected > 1.4 * bill
    # What is reserved rests on no cache.
    assert told.total.usd.low <= bill <= told.total.usd.worst
    with open_for_reading(second) as reader:
        uncached = reader.connection.execute(
            "select sum(3 * (input_tokens + cache_read_tokens) + 15 * output_tokens) / 1e6"
            " from attempts"
        ).fetchall()[0][0]
    assert bill < 0.6 * uncached
    assert uncached < told.total.usd.worst
    assert 0.2 < told.models[0].cached_share < 0.9
    assert blind.models[0].cached_share == 0
    assert "of compat/mystery's input from its cache as before" in text_of(told)


async def test_calibrating_calls_are_not_paid_twice(simulator: Start, tmp_path: Path):
    running = await simulator(simulated(0.7))
    config = config_of(running.openai_url, tmp_path, repeats=1)
    db = tmp_path / "a.duckdb"
    for _ in range(2):
        end = await run_sweep(config, planned(config), db, Heard(), RunOptions(calibrate=7))
        assert end.exit_code == 0
    assert running.simulator.log.bill().requests == planned(config).n_trials


async def test_the_budget_ends_a_calibration_too(simulator: Start, tmp_path: Path):
    running = await simulator(simulated(0.7))
    config = config_of(running.openai_url, tmp_path, repeats=1)
    small = config.model_copy(update={"budget_pusd": 20_000_000_000})
    db = tmp_path / "a.duckdb"
    end = await run_sweep(small, planned(small), db, Heard(), RunOptions(calibrate=20))
    assert end.exit_code == 3
    assert end.pending == planned(small).n_trials - running.simulator.log.bill().billed
    assert running.simulator.log.bill().cost_pusd <= 20_000_000_000
