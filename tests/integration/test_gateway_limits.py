"""Limits of gateways that say nothing but no: found, used up, and hardly ever exceeded again."""

from collections.abc import Callable

import pytest

from runner.providers.http.transport import Transport
from state.records import AttemptRow, Outcome
from tests.fakes.gateways import Chance, Counter, Gateway, Haproxy, Nginx
from tests.fakes.simulated_sweeps import STEADY, Simulated, one_model, simulate

NAMED = "limits = { concurrency = 64 }"


def swept(
    counter: Counter, *, until_s: float, model: str = "", status: int = 429, away_s: float = 0.0
) -> tuple[Simulated, Gateway]:
    ways = list[Gateway]()

    def way(transport: Transport) -> Transport:
        ways.append(Gateway(transport, counter, status=status, away_s=away_s))
        return ways[0]

    config = one_model(model, repeats=100_000)
    done = simulate(config, until_s=until_s, latency=STEADY, way=way)
    return done, ways[0]


@pytest.mark.parametrize(
    ("make", "rate", "status", "away_s", "model"),
    [
        (lambda: Nginx(5.0), 5.0, 429, 0.0, ""),
        (lambda: Nginx(5.0), 5.0, 503, 0.1, NAMED),
        (lambda: Nginx(5.0, burst=10.0), 5.0, 503, 0.0, ""),
        (lambda: Haproxy(20.0, 1.0), 20.0, 429, 0.1, NAMED),
        (lambda: Haproxy(50.0, 10.0), 5.0, 429, 0.0, ""),
        (lambda: Haproxy(50.0, 10.0), 5.0, 503, 0.1, NAMED),
    ],
    ids=[
        "nginx 5r/s",
        "nginx 5r/s far",
        "nginx 5r/s burst 10",
        "haproxy 20 a second",
        "haproxy 50 in 10 s",
        "haproxy 50 in 10 s far",
    ],
)
def test_a_silent_limit_by_the_second_is_used_to_nine_tenths_within_two_minutes(
    make: Callable[[], Counter], rate: float, away_s: float, status: int, model: str
):
    done, gateway = swept(make(), until_s=180, model=model, status=status, away_s=away_s)
    # A try at more costs a server that counts ten seconds some of them.
    assert gateway.let_through(90, 180) >= 0.85 * 90 * rate
    assert max(gateway.let_through(at, at + 30) for at in (90, 120, 150)) >= 0.9 * 30 * rate
    assert gateway.refused(60, 180) <= 0.1 * 120 * rate
    finals = {row.outcome for row in done.run.store.of(AttemptRow) if row.final}
    assert finals == {Outcome.ANSWERED}


@pytest.mark.parametrize("model", ["limits = { concurrency = 16 }", NAMED])
def test_refusals_that_no_rate_explains_cost_one_retry_each(model: str):
    _, free = swept(Chance(0.0), until_s=40, model=model)
    done, gateway = swept(Chance(0.02), until_s=40, model=model)
    assert gateway.let_through(30, 40) >= 0.9 * free.let_through(30, 40)
    assert done.end.errors == {}


def test_refusals_that_slowing_down_does_not_help_are_lived_with():
    few = "limits = { concurrency = 8 }"
    _, free = swept(Chance(0.0), until_s=240, model=few)
    _, gateway = swept(Chance(0.4), until_s=240, model=few)
    assert gateway.let_through(60, 240) >= 0.4 * free.let_through(60, 240)


def test_a_limit_in_the_config_is_an_upper_bound_of_what_is_found():
    named = "limits = { rpm = 100_000, concurrency = 64 }"
    _, gateway = swept(Nginx(10.0, burst=5.0), until_s=120, model=named)
    assert gateway.let_through(60, 120) >= 0.9 * 600
    assert gateway.refused(0, 120) <= 0.1 * len(gateway.log)
    _, slower = swept(Nginx(10.0, burst=200.0), until_s=120, model="limits = { rpm = 120 }")
    assert slower.let_through(60, 120) == pytest.approx(120, abs=3)
    assert slower.refused(0, 120) == 0


@pytest.mark.parametrize("headers", [True, False])
def test_what_the_provider_says_below_the_config_is_believed(headers: bool):
    """`rpm = 100000` against a real 500 gave seven refusals for each answer."""
    config = one_model("limits = { rpm = 100_000, concurrency = 500 }", repeats=100_000)
    limits = {"rpm": 500, "headers": headers}
    done = simulate(config, until_s=120, limits=limits, latency=STEADY)
    assert done.count("rate_limited") <= 20
    assert done.used("requests", 60, 120) >= 0.9 * 500
