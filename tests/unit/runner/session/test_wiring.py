"""A config as objects: which limits, which slots, and who shares them."""

import asyncio

import pytest

from runner.config.models import LimitsConfig
from runner.limits.demand import Dimension
from runner.limits.slots import AdaptiveConcurrency, slots_for
from runner.session.wiring import LIMIT_NAMES, limits_of, slots_of
from tests.fakes.sweeps import ScriptedProvider, SweepRun, make_config, simple_config
from tests.fakes.virtual_loop import run_virtual

TWO = """
[sweep]
repeats = 3
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = {{ {limits} }}
[[models]]
id = "compat/b"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = {{ {limits} }}
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
"""


def test_every_limit_of_a_config_has_its_dimension():
    limits = LimitsConfig.model_validate(dict.fromkeys(LIMIT_NAMES, 7))
    assert limits_of(limits) == dict.fromkeys(Dimension, 7.0)
    assert limits_of(LimitsConfig()) == {}


def test_the_sweep_s_own_word_on_slots_comes_first():
    limits = LimitsConfig(concurrency=7)
    assert slots_of(simple_config(), limits) == 7
    assert slots_of(simple_config(sweep="concurrency = 3"), limits) == 3
    assert slots_of(simple_config(), LimitsConfig()) is None


@pytest.mark.parametrize(
    ("named", "rate", "begins"), [(None, False, 2), (500, False, 2), (None, True, 512)]
)
def test_slots_that_are_not_known_are_found_out(named: int | None, rate: bool, begins: int):
    controller = slots_for(named, rate_named=rate, now=lambda: 0.0)
    assert isinstance(controller, AdaptiveConcurrency)
    assert controller.limit == begins


def test_slots_and_rate_leave_nothing_to_find_out():
    assert slots_for(5, rate_named=True, now=lambda: 0.0) == 5


@pytest.mark.parametrize(("limits", "shared"), [("rpm = 60", 2), ('rpm = 60, group = "g"', 1)])
def test_a_group_shares_one_limiter(limits: str, shared: int):
    providers = {name: ScriptedProvider() for name in ("compat/a", "compat/b")}
    run = SweepRun(make_config(TWO.format(limits=limits)), providers)
    assert run.run().exit_code == 0
    assert run.engine is not None
    assert len({id(lane.limiter) for lane in run.engine._lanes}) == shared


def test_a_model_with_nothing_to_send_has_no_lane():
    run = SweepRun(simple_config(repeats=2), {"compat/a": ScriptedProvider()})
    run.run()
    again = SweepRun(simple_config(repeats=2), {}, store=run.store)

    async def main() -> int:
        await again.arun()
        await asyncio.sleep(0)
        assert again.engine is not None
        return len(again.engine._lanes)

    assert run_virtual(main()) == 0
