"""No trial ends because of an outage: real formats and money in virtual time.

What the network does is what aiohttp raises then, read by our own table of faults.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import client_exceptions
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict

from runner.engine.engine import Engine
from runner.engine.outage import LONGEST_WAIT_S
from runner.money.price import PUSD_PER_USD
from runner.progress.states import LaneEnd, Wait
from runner.providers.http.answer import Answer
from runner.providers.http.faults import CallProgress, Fault, fault_of
from runner.providers.http.transport import Transport
from runner.simulator.core import Simulator
from state.records import AttemptRow, Outcome
from tests.fakes.simulated_sweeps import STEADY, Gone, Simulated, one_model, simulate

CONCURRENCY = 16
PRICE = {"input": 1.0, "output": 2.0}
LIMITS = f"limits = {{ concurrency = {CONCURRENCY} }}"
NOTHING_SENT = CallProgress(sent=False, reused=False, elapsed_s=0.01)
TO = ConnectionKey("api.example", 443, True, True, None, None, None)


def gateway(status: int, words: str) -> Answer:
    page = f"<html><head><title>{status} {words}</title></head><body>nginx</body></html>"
    headers = CIMultiDict({"content-type": "text/html"})
    return Answer(
        status=status, headers=headers, body=page.encode(), now=1_700_000_000.0, first_byte_s=0.01
    )


OUTAGES: Mapping[str, Answer | Fault] = {
    "connection refused": fault_of(
        client_exceptions.ClientConnectorError(TO, ConnectionRefusedError(111, "refused")),
        NOTHING_SENT,
    ),
    "name not found": fault_of(
        client_exceptions.ClientConnectorDNSError(TO, OSError(-2, "Name or service not known")),
        NOTHING_SENT,
    ),
    "dead proxy": fault_of(
        client_exceptions.ClientProxyConnectionError(TO, OSError(111, "refused")), NOTHING_SENT
    ),
    "tls": fault_of(client_exceptions.ClientConnectorSSLError(TO, OSError(1, "tls")), NOTHING_SENT),
    "502": gateway(502, "Bad Gateway"),
    "503": gateway(503, "Service Temporarily Unavailable"),
    "504": gateway(504, "Gateway Time-out"),
}


def sweep_through(
    meanwhile: Answer | Fault,
    begin: float,
    end: float,
    *,
    trials: int,
    provider: str = "compat",
    **more: Any,
) -> tuple[Simulated, Gone]:
    """A sweep during which the endpoint is gone from one moment to the other."""
    ways = list[Gone]()

    def way(transport: Transport) -> Transport:
        ways.append(Gone(transport, meanwhile, [(begin, end)]))
        return ways[0]

    config = one_model(LIMITS, provider=provider, repeats=trials, budget="500usd")
    return simulate(config, latency=STEADY, price=PRICE, way=way, **more), ways[0]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
@pytest.mark.parametrize("kind", OUTAGES)
@pytest.mark.parametrize("lasts_s", [45.0, 600.0])
def test_a_sweep_outlives_an_outage(kind: str, provider: str, lasts_s: float):
    begin, end = 5.0, 5.0 + lasts_s
    done, way = sweep_through(OUTAGES[kind], begin, end, trials=300, provider=provider)
    assert (done.end.exit_code, done.end.pending, done.end.errors) == (0, 0, {})
    assert done.count("replied") == 300  # nothing was paid twice
    attempts = done.run.store.of(AttemptRow)
    assert sum(row.final and row.outcome == Outcome.ANSWERED for row in attempts) == 300
    for minute in range(int(lasts_s) // 60 + 1):
        since = begin + 60.0 * minute
        assert sum(since <= at < since + 60 for at in way.in_vain) < 2 * CONCURRENCY
    lanes = [view.lanes[0] for view in done.run.views]
    assert {lane.waiting for lane in lanes} >= {Wait.OUTAGE}
    back = min(entry.arrived_s for entry in done.log if entry.arrived_s >= end)
    assert back <= end + LONGEST_WAIT_S + 1
    assert done.end.view.held_usd == 0.0
    billed_usd = done.simulator.log.bill().cost_pusd / PUSD_PER_USD
    assert done.end.view.spent_usd == pytest.approx(billed_usd)


def test_of_twenty_thousand_trials_no_more_wait_than_are_sent_at_once():
    waiting = list[int]()

    def look() -> None:
        waiting.append(len(asyncio.all_tasks()))

    def before(_: Engine, __: Simulator) -> None:
        for at in (100.0, 300.0, 600.0):
            asyncio.get_running_loop().call_later(at, look)

    done, way = sweep_through(
        OUTAGES["connection refused"], 5.0, 605.0, trials=20_000, before=before
    )
    assert (done.end.exit_code, done.end.pending) == (0, 0)
    assert done.count("replied") == 20_000
    assert len(waiting) == 3
    assert max(waiting) <= CONCURRENCY + 10
    assert len(way.in_vain) < 2 * CONCURRENCY + 20


def test_begun_on_friday_wifi_drops_done_on_monday():
    friday, way = sweep_through(OUTAGES["name not found"], 20.0, 1e9, trials=2000)
    lane = friday.end.view.lanes[0]
    assert (friday.end.exit_code, lane.ended) == (4, LaneEnd.OUTAGE)
    assert "no answer for 30" in friday.end.messages[0]
    assert "Name or service not known" in friday.end.messages[0]
    answered = friday.count("replied")
    assert 0 < answered < 2000
    assert friday.end.pending == 2000 - answered
    assert friday.end.view.held_usd == 0.0
    config = one_model(LIMITS, repeats=2000, budget="500usd")
    monday = simulate(config, latency=STEADY, store=friday.run.store)
    assert (monday.end.exit_code, monday.end.pending) == (0, 0)
    assert monday.count("replied") == 2000 - answered
    assert len(way.in_vain) < 3 * CONCURRENCY


@pytest.mark.parametrize("billed", [False, True])
def test_errors_hold_money_only_where_they_are_billed(billed: bool):
    model = f"{LIMITS}\nbills_errors = {str(billed).lower()}"
    config = one_model(model, repeats=50, budget="500usd")
    done = simulate(config, latency=STEADY, price=PRICE, script=["502 html"] * 12)
    assert (done.end.exit_code, done.end.pending) == (0, 0)
    unknown = [row for row in done.run.store.of(AttemptRow) if row.maybe_billed]
    assert len(unknown) == (12 if billed else 0)
    surplus = done.end.view.spent_usd - done.simulator.log.bill().cost_pusd / PUSD_PER_USD
    assert (surplus > 0.001) is billed


def test_an_outage_can_be_rehearsed_with_the_simulator():
    config = one_model(LIMITS, repeats=300, budget="500usd")
    gone = [{"from_s": 5.0, "for_s": 45.0, "fault": "503"}, {"from_s": 70.0, "for_s": 20.0}]
    done = simulate(config, latency=STEADY, price=PRICE, outages=gone)
    assert (done.end.exit_code, done.end.pending, done.end.errors) == (0, 0, {})
    in_vain = [entry for entry in done.log if entry.outcome != "replied"]
    assert {entry.fault for entry in in_vain} <= {"503", "502 html"}
    assert 5.0 <= min(entry.arrived_s for entry in in_vain) < 6.0
