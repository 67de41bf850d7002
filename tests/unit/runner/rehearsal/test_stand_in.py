"""A whole sweep against stand-ins of its own models, in virtual time and without a socket."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from runner.engine.engine import SweepEnd
from runner.forecast.build import guessed
from runner.forecast.measure import measure
from runner.models.spec import resolve_all
from runner.plan.build import plan_sweep
from runner.providers.catalog import wire_format
from runner.providers.http_provider import HttpProvider
from runner.rehearsal.in_process import SimulatorTransport
from runner.rehearsal.stand_in import settings_of, stand_in
from runner.simulator.core import Simulator
from runner.simulator.timeline import Timeline
from state.records import AttemptRow
from tests.fakes.memory_store import MemoryStore
from tests.fakes.sweeps import SweepRun, simple_config
from tests.fakes.virtual_loop import VirtualClock, run_virtual

NOW_US = 1_760_000_000_000_000


def rehearse(
    limits: str, *, repeats: int, model: dict[str, Any] | None = None
) -> tuple[SweepEnd, Simulator, MemoryStore, float]:
    async def main() -> tuple[SweepEnd, Simulator, MemoryStore, float]:
        config = simple_config(repeats=repeats, model=f"limits = {limits}")
        (spec,) = resolve_all(config, NOW_US)
        like = stand_in(spec, guessed(spec), measure(plan_sweep(config, (spec,))))
        settings = settings_of({"a": like.model_copy(update=model or {})})
        simulator = Simulator(settings, Timeline(VirtualClock()))
        transport = SimulatorTransport(simulator)
        provider = HttpProvider("compat", wire_format("compat"), "http://simulated/v1", transport)
        run = SweepRun(config, {"compat/a": provider})  # type: ignore[dict-item]
        end = await run.arun()
        return end, simulator, run.store, asyncio.get_running_loop().time()

    return run_virtual(main())


def test_configured_limits_are_kept_without_a_single_refusal():
    limits = "{ rpm = 60, itpm = 100_000, otpm = 20_000, concurrency = 32 }"
    end, simulator, store, passed_s = rehearse(limits, repeats=300)
    assert end.exit_code == 0
    outcomes = Counter(entry.outcome for entry in simulator.log.entries)
    assert outcomes == {"replied": 300}
    # A full minute's bucket at the start, then 60 a minute: four minutes and some latency.
    assert 235 < passed_s < 300
    assert simulator.log.max_in_flight <= 32
    assert sum(row.cost_pusd or 0 for row in store.of(AttemptRow)) == simulator.log.bill().cost_pusd


def test_lost_replies_are_paid_at_the_provider_and_marked_here():
    limits = "{ rpm = 600, concurrency = 8 }"
    faults = {"reset": 0.1, "500": 0.1, "429": 0.05}
    end, simulator, store, _ = rehearse(limits, repeats=200, model={"faults": faults})
    assert end.exit_code in {0, 5}
    attempts = store.of(AttemptRow)
    assert len(attempts) == len(simulator.log.entries)
    known = sum(row.cost_pusd or 0 for row in attempts)
    lost = sum(entry.cost_pusd for entry in simulator.log.entries if entry.outcome == "lost")
    assert known + lost == simulator.log.bill().cost_pusd
    unknown = [row for row in attempts if row.maybe_billed]
    assert len(unknown) >= sum(entry.outcome == "lost" for entry in simulator.log.entries)


def test_a_rehearsal_is_the_same_again():
    limits = "{ rpm = 100, concurrency = 16 }"
    first, second = (rehearse(limits, repeats=60) for _ in range(2))
    assert first[3] == pytest.approx(second[3])
    keep = [[entry.prompt_hash for entry in run[1].log.entries] for run in (first, second)]
    assert keep[0] == keep[1]
