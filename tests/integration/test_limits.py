"""Limits that the provider enforces, over minutes of virtual time: used up, and never exceeded."""

import itertools

import pytest

from runner.simulator.spec.settings import SimulatorSettings
from tests.fakes.simulated_sweeps import BASE_URLS, STEADY, Far, Silent, one_model, simulate
from tests.fakes.sweeps import make_config

ITPM = 60_000


def test_configured_limits_give_no_429_and_are_used_up():
    config = one_model("limits = { rpm = 90, itpm = 60_000, otpm = 300, concurrency = 100 }")
    done = simulate(
        config, until_s=150, limits={"rpm": 90, "itpm": ITPM, "otpm": 300}, latency=STEADY
    )
    assert done.count("rate_limited") == 0
    assert done.used("requests", 75, 135) >= 0.95 * 90


def test_long_calls_do_not_make_us_forget_what_was_refilled_meanwhile():
    config = one_model(f"limits = {{ itpm = {ITPM}, concurrency = 200 }}")
    slow = {"first_token_s": 25.0, "sigma": 0.3}
    done = simulate(config, until_s=150, limits={"itpm": ITPM}, latency=slow)
    assert done.count("rate_limited") == 0
    assert done.used("input", 75, 135) >= 0.95 * ITPM


def test_limits_in_headers_are_learned_before_they_are_hit():
    done = simulate(one_model(), until_s=100, limits={"itpm": ITPM}, latency=STEADY)
    assert done.episodes() == []
    assert done.used("input", 30, 90) >= 0.9 * ITPM


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_limits_in_words_are_kept_after_the_first_episode(provider: str):
    done = simulate(
        one_model(provider=provider),
        until_s=75,
        limits={"itpm": ITPM, "headers": False},
        latency=STEADY,
    )
    assert done.episodes() == [1]
    assert done.used("input", 30, 75) >= 0.9 * ITPM * 45 / 60


def test_a_silent_server_s_limit_is_found_from_when_it_refuses():
    done = simulate(one_model(), until_s=180, limits={"rpm": 120}, latency=STEADY, wrap=Silent)
    # Four to believe it, since one may be chance; then one for each pace that was too fast.
    assert set(done.episodes()) == {1}
    assert len(done.episodes()) <= 20
    assert done.used("requests", 30, 150) >= 0.9 * 240


@pytest.mark.parametrize("headers", [True, False])
@pytest.mark.parametrize("latency", [STEADY, {"first_token_s": 10.0, "sigma": 0.3}])
def test_slots_that_the_user_named_are_not_filled_blindly(headers: bool, latency: dict[str, float]):
    """500 may be in flight, and the server takes 60,000 tokens a minute."""
    config = one_model("limits = { concurrency = 500 }")
    limits = {"itpm": ITPM, "headers": headers}
    done = simulate(config, until_s=90, limits=limits, latency=latency)
    assert done.episodes() in ([], [1])
    assert done.used("input", 30, 90) >= 0.9 * ITPM


@pytest.mark.parametrize("model", ["", "limits = { concurrency = 500 }"])
@pytest.mark.parametrize("silent", [False, True])
def test_refusals_from_far_away_are_no_more_than_a_round_trip_of_the_rate_that_met_the_limit(
    model: str, silent: bool
):
    """What was sent before the first one came back; slots that double every second and a half
    have met a limit of 60 at 40 a second, which is four in a tenth of a second."""
    done = simulate(
        one_model(model),
        until_s=120,
        limits={"rpm": 60, "headers": False},
        latency=STEADY,
        wrap=lambda inner: Silent(Far(inner, 0.1)) if silent else Far(inner, 0.1),
    )
    first, *later = done.episodes(0.1)
    assert first <= 10
    assert all(size <= 6 for size in later)
    assert len(later) <= 10 if silent else not later
    assert done.used("requests", 30, 120) >= 0.9 * 90


def test_nothing_is_sent_between_a_refusal_and_the_end_of_its_pause():
    done = simulate(
        one_model("limits = { concurrency = 500 }"),
        until_s=60,
        limits={"rpm": 60, "headers": False},
        latency=STEADY,
        wrap=lambda inner: Far(inner, 0.1),
    )
    refused = next(entry for entry in done.log if entry.outcome == "rate_limited")
    after = [e for e in done.log if e.arrived_s > refused.arrived_s + 0.1]
    assert after[0].outcome == "replied"
    assert [e.outcome for e in after].count("rate_limited") == 0


def test_slots_that_the_user_named_are_all_used_within_seconds():
    config = one_model("limits = { concurrency = 300 }", repeats=900)
    done = simulate(config, latency={"first_token_s": 20.0, "sigma": 0.0})
    assert done.end.exit_code == 0
    arrived = sorted(entry.arrived_s for entry in done.log)
    assert 4.0 < arrived[299] < 8.0
    assert done.count("replied") == 900


def test_slots_of_a_quick_server_are_all_used_within_seconds():
    config = one_model("limits = { concurrency = 800 }", repeats=20_000)
    done = simulate(config, until_s=2.8, latency={"first_token_s": 0.2, "sigma": 0.3})
    sent = sum(2.2 < entry.arrived_s <= 2.7 for entry in done.log)
    assert sent >= 0.9 * 0.5 * 800 / 0.21, "what 800 in flight can send in half a second"
    assert done.count("rate_limited") == 0


def test_a_silent_limit_on_what_is_in_flight_is_not_taken_for_a_rate():
    config = one_model(repeats=3000)
    limits = {"concurrency": 20}
    done = simulate(config, until_s=120, limits=limits, latency=STEADY, wrap=Silent)
    assert set(done.episodes()) == {1}
    assert len(done.episodes()) <= 12
    assert done.used("requests", 30, 120) >= 0.5 * 20 * 90


def test_a_limit_on_what_is_in_flight_makes_fewer_slots_and_no_rate():
    done = simulate(one_model(), until_s=60, limits={"concurrency": 4}, latency=STEADY)
    assert done.count("rate_limited") <= 12
    assert done.count("replied") >= 60


LONG_AND_SHORT = f"""
[sweep]
repeats = 40
[[models]]
id = "compat/a"
base_url = "{BASE_URLS["compat"]}"
price = 0
limits = {{ itpm = 40_000, concurrency = 100 }}
[[tasks]]
name = "needle_threading.single_needle"
size = [1000, 20_000]
depth = 50
"""


def test_a_long_prompt_goes_out_in_its_turn_among_short_ones():
    done = simulate(make_config(LONG_AND_SHORT), limits={"itpm": 40_000}, latency=STEADY)
    assert done.end.exit_code == 0
    assert done.count("rate_limited") == 0
    order = [entry.prompt_chars > 10_000 for entry in done.log]
    turns = [index for index, is_long in enumerate(order) if is_long]
    assert len(turns) == 40
    # The plan shuffles both kinds together: no stretch of it is without a long one for long.
    assert max(later - sooner for sooner, later in itertools.pairwise(turns)) < 20


def test_a_request_larger_than_the_bucket_goes_out_and_leaves_a_debt():
    config = one_model("limits = { itpm = 5_000, concurrency = 10 }", repeats=4, size="20000")
    done = simulate(config, limits={"itpm": 5_000}, latency=STEADY)
    assert (done.end.exit_code, done.count("replied"), done.count("rate_limited")) == (0, 4, 0)
    arrivals = [entry.arrived_s for entry in done.log]
    gaps = [later - sooner for sooner, later in itertools.pairwise(arrivals)]
    # 12,600 tokens at 5,000 a minute.
    assert all(140 < gap < 180 for gap in gaps)


@pytest.mark.parametrize(
    ("spelling", "seconds"),
    [
        ("retry-after=7", 7.0),
        ("retry-after=2.5", 2.5),
        ("header.retry-after-ms=1500", 1.5),
        ("retry-after=1700000020", 20.0),
        ("retry-after=1m3s", 63.0),
    ],
)
def test_retry_after_in_every_spelling_pauses_the_whole_lane(spelling: str, seconds: float):
    config = one_model("limits = { concurrency = 3 }", repeats=30)
    done = simulate(config, script=[f"429 {spelling}"], latency={"first_token_s": 0.1})
    assert done.end.exit_code == 0
    after = [entry.arrived_s for entry in done.log if entry.arrived_s > 0.15]
    assert min(after) == pytest.approx(seconds, abs=1.0 if seconds == 20.0 else 0.3)


GROUP = f"""
[sweep]
repeats = 150
[[models]]
id = "compat/a"
base_url = "{BASE_URLS["compat"]}"
price = 0
limits = {{ rpm = 60, concurrency = 20, group = "small" }}
[[models]]
id = "compat/b"
base_url = "{BASE_URLS["compat"]}"
price = 0
limits = {{ group = "small" }}
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""


def test_models_of_one_group_share_one_limit():
    done = simulate(make_config(GROUP), SimulatorSettings(), until_s=120)
    assert done.used("requests", 0, 60) <= 2 * 60
    assert done.used("requests", 60, 120) == pytest.approx(60, abs=2)
    by_model = {name: sum(entry.model == name for entry in done.log) for name in ("a", "b")}
    assert abs(by_model["a"] - by_model["b"]) <= 60
