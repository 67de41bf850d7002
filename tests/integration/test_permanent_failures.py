"""What a provider stops for good ends quickly, says so once, and harms nobody else."""

import pytest

from runner.engine.breaker import STARVED_AFTER
from runner.progress.states import LaneEnd
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from state.records import AttemptRow, PendingRow
from tests.fakes.simulated_sweeps import BASE_URLS, STEADY, one_model, simulate
from tests.fakes.sweeps import make_config

CONCURRENCY = 6
TWO_ACCOUNTS = """
[sweep]
repeats = 40
[[models]]
id = "{provider}/broken"
base_url = "{url}"
price = 0
limits = {{ concurrency = 6 }}
[[models]]
id = "compat/fine"
base_url = "http://127.0.0.2:9/v1"
price = 0
limits = {{ concurrency = 6 }}
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("bad key", "bad_key"), ("no credit", "out_of_credit"), ("daily limit", "daily_limit")],
)
def test_an_account_that_is_stopped_for_good(provider: str, fault: str, outcome: str):
    latency = {"first_token_s": 0.5}
    broken = ModelSettings.model_validate(
        {"faults": {fault: 1.0}, "latency": latency, "reply": "OK"}
    )
    fine = ModelSettings.model_validate({"latency": latency, "reply": "OK"})
    settings = SimulatorSettings(models={"broken": broken, "fine": fine})
    config = make_config(TWO_ACCOUNTS.format(provider=provider, url=BASE_URLS[provider]))
    done = simulate(config, settings)
    assert done.end.exit_code == 4
    asked = [entry for entry in done.log if entry.model == "broken"]
    assert 1 <= len(asked) <= CONCURRENCY
    assert sum(entry.outcome == "replied" for entry in done.log) == 40
    assert len(done.end.messages) == 1
    assert outcome in done.end.messages[0]
    stopped = [row for row in done.run.store.of(AttemptRow) if row.outcome.startswith(outcome)]
    assert stopped
    assert not any(row.final for row in stopped)
    assert [row.trials for row in done.run.store.of(PendingRow)] == [40]


def test_requests_that_are_refused_for_one_reason_trip_a_breaker():
    config = one_model(f"limits = {{ concurrency = {CONCURRENCY} }}", repeats=100)
    done = simulate(config, faults={"400": 1.0}, latency={"first_token_s": 0.2})
    assert done.end.exit_code == 4
    assert len(done.log) <= 8 + CONCURRENCY
    assert len(done.end.messages) == 1


def test_a_provider_that_limits_for_an_hour_parks_the_model_and_never_says_done():
    config = one_model("limits = { concurrency = 2 }", repeats=3)
    done = simulate(config, script=["429 retry-after=900"] * 40)
    assert (done.end.exit_code, done.end.view.lanes[0].ended) == (4, "parked")
    assert done.end.pending > 0


@pytest.mark.parametrize("provider", ["compat", "openai", "anthropic", "google"])
@pytest.mark.parametrize("concurrency", [1, 32])
def test_a_model_whose_thinking_uses_up_its_cap_is_stopped(provider: str, concurrency: int):
    """Nobody knew that it thinks; with a larger cap the same sweep goes to its end."""
    limits = f"limits = {{ concurrency = {concurrency} }}"
    config = one_model(limits, provider=provider, repeats=500, max_tokens=100)
    done = simulate(config, faults={"truncated reasoning": 1.0}, latency=STEADY)
    (lane,) = done.end.view.lanes
    assert (done.end.exit_code, lane.ended) == (4, LaneEnd.BREAKER)
    assert STARVED_AFTER <= len(done.log) < STARVED_AFTER + 2 * concurrency
    assert done.end.pending == 500 - len(done.log)
    (message,) = done.end.messages
    assert "the output cap is 100 tokens" in message
    assert "set params.max_tokens to 1,024 or more" in message
    larger = one_model(limits, provider=provider, repeats=500, max_tokens=1024)
    after = simulate(larger, store=done.run.store, reply="OK")
    assert (after.end.exit_code, after.end.pending, len(after.log)) == (0, 0, 500)
